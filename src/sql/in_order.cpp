#include "sql/in_order.h"

#include "sql/row_space.h"

namespace tessera::sql {

TensorRows in_order(const Relation& relation, const RelationColumn& column,
                    std::optional<DType> dtype, QueryCompiler& compiler) {
  const TensorRows& tensor = *column.tensor;
  if (column.whole_in == relation.table &&
      dtype.value_or(tensor.element.dtype) == tensor.element.dtype &&
      compiler.program().is_computed(tensor.name)) {
    return tensor;
  }
  const int64_t num_rows = compiler.key_tables().num_rows(relation.table);
  RowSpace space(compiler.key_tables(), relation.table, compiler.program(), {num_rows});
  space.leave_out_nulls({column.key});
  ArrayType element = tensor.element;
  element.dtype = dtype.value_or(element.dtype);
  const bool is_converted = element.dtype != tensor.element.dtype;
  const std::optional<RowSpace::Digits> digits = space.digits_of(column.key, sql::num_rows(tensor));
  const bool is_whole = digits && (digits->modes.size() == 1 || num_rows == 1);
  if (!is_converted && is_whole && compiler.program().is_computed(tensor.name)) {
    return tensor;
  }
  FreshLabels labels;
  const Labels row_labels = labels.of(space.grid());
  const Labels modes = labels.of(element.shape);
  const program::Expression value = space.read(tensor, column.key, row_labels, indices_of(modes));
  return compiler.program().add(space.grid(), element,
                                {left_of(joined(row_labels, modes)),
                                 is_converted ? program::converted(element.dtype, value) : value});
}

ArrayType flat_type_of(const TensorRows& rows) {
  ArrayType type{rows.element.dtype, {num_rows(rows)}};
  type.shape.insert(type.shape.end(), rows.element.shape.begin(), rows.element.shape.end());
  return type;
}

}  // namespace tessera::sql
