#include "sql/tensor_building.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "base/byte_size.h"
#include "base/error.h"
#include "database/sql_error.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/first_part.h"
#include "sql/row_space.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

/// One aggregate that builds tensors, for all groups.
class Building {
 public:
  Building(const Call& call, const Relation& relation, const std::vector<std::string>& keys,
           QueryCompiler& compiler)
      : call_(call),
        name_(call.function.text),
        relation_(relation),
        keys_(fmt::format("{}", fmt::join(keys, ", "))),
        compiler_(compiler) {
    check_call();
    const auto* const column = std::get_if<ColumnReference>(&call.arguments[0]->of);
    for (const RelationColumn& found : relation.columns) {
      if (column != nullptr && found.key == column->column.text && found.tensor) {
        tensor_ = &*found.tensor;
      }
    }
    check_modes();
  }

  TensorRows build() {
    find_cells();
    num_groups_ = connection().integer(
        fmt::format("SELECT coalesce(max(cell_group) + 1, 0) FROM {}", cells()));
    if (num_groups_ == 0) {
      return compiler_.program().add_empty(element(1, DType::f64));  // any extent will do
    }
    find_extent();
    check_size();
    if (tensor_ == nullptr) {
      return of_scalars();
    }
    return is_by_order() ? in_order_of_rows() : at_places();
  }

  /// The rows that have a part in a group's tensor, and the numbers of their groups.
  std::vector<int64_t> rows() {
    return connection().integers("SELECT cell_row FROM " + cells() + " ORDER BY rowid");
  }
  std::vector<int64_t> groups() {
    return connection().integers("SELECT cell_group FROM " + cells() + " ORDER BY rowid");
  }

 private:
  bool is_by_order() const { return name_ == "array_agg"; }
  database::Connection& connection() { return compiler_.connection(); }
  std::string cells() const { return sqlite_name(cells_->table); }

  void check_call() const {
    if (call_.is_distinct || call_.over) {
      throw_error(ErrorKind::unsupported, "{} {}", name_,
                  call_.is_distinct ? "of DISTINCT rows" : "OVER a window");
    }
    const size_t num_arguments = call_.arguments.size();
    TESSERA_USER_CHECK(!is_by_order() || num_arguments == 1,
                       "{0} takes one argument: {0}(x ORDER BY k)", name_);
    TESSERA_USER_CHECK(is_by_order() || num_arguments == 2 || num_arguments == 3,
                       "{0} takes an element, its place, and how many there are where that is "
                       "known: {0}(x, i) or {0}(x, i, 10)",
                       name_);
  }

  void check_modes() const {
    const size_t num_modes = tensor_ == nullptr ? 0 : tensor_->element.shape.size();
    const bool fits = is_by_order() || (name_ == "vectorize"   ? num_modes == 0
                                        : name_ == "colmatrix" ? num_modes == 1
                                                               : num_modes >= 1);
    TESSERA_USER_CHECK(fits, "{} puts {} together, not {}", name_,
                       name_ == "vectorize" ? "numbers" : "vectors",
                       num_modes == 0 ? "numbers" : shape_text(tensor_->element.shape));
  }

  /// A table of the rows, in groups and in order: where each goes.
  void find_cells() {
    const std::string value = sqlite_text(*call_.arguments[0]);
    const std::string group =
        keys_.empty() ? "0" : fmt::format("dense_rank() OVER (ORDER BY {}) - 1", keys_);
    const std::string partition = keys_.empty() ? "" : "PARTITION BY " + keys_ + " ";
    std::string order;
    for (const OrderKey& key : call_.order) {
      order += sqlite_text(*key.expression) + (key.is_descending ? " DESC" : "") +
               (key.nulls_first ? *key.nulls_first ? " NULLS FIRST" : " NULLS LAST" : "") + ", ";
    }
    const std::string place =
        is_by_order()
            ? fmt::format("row_number() OVER ({}ORDER BY {}{}.rowid)", partition, order, kFirstPart)
            : sqlite_text(*call_.arguments[1]);
    std::string where = call_.filter ? sqlite_text(*call_.filter) : "1";
    if (!is_by_order()) {  // what is NULL has no place
      where = fmt::format("({}) AND {} IS NOT NULL AND {} IS NOT NULL", where, value, place);
    }
    cells_ = compiler_.make_relation(fmt::format(
        "SELECT {0}.rowid AS cell_row, {1} AS cell_group, {2} AS cell_place, {3} AS cell_value "
        "FROM {4} AS {0} WHERE {5} ORDER BY cell_group, cell_place",
        kFirstPart, group, place, value, sqlite_name(relation_.table), where));
  }

  void find_extent() { is_by_order() ? find_length_of_groups() : find_places(); }

  void check_size() const {
    ArrayType all = element(extent_, DType::f64);
    const std::string shape = shape_text(all.shape);
    all.shape.insert(all.shape.begin(), num_groups_);
    TESSERA_USER_CHECK(is_countable(all),
                       "{}: a {} for every group has more bytes than can be "
                       "counted",
                       name_, shape);
    const int64_t most = compiler_.program().session().budget().bytes;
    if (tensor_ == nullptr && size_in_bytes(all) > most) {  // they are gathered in memory
      throw_error(ErrorKind::resource, "{}: a {} for every group takes {}, and {} may be taken",
                  name_, shape, byte_size_text(size_in_bytes(all)), byte_size_text(most));
    }
  }

  void find_length_of_groups() {
    if (connection().integer("SELECT count(*) - count(cell_value) FROM " + cells()) > 0) {
      throw database::SqlError(database::SqlState::null_value_not_allowed,
                               Error(ErrorKind::user,
                                     "an element of array_agg is NULL; leave such rows out: FILTER "
                                     "(WHERE … IS NOT NULL)"));
    }
    database::Statement counts = connection().prepare("SELECT count(*), cell_group FROM " +
                                                      cells() + " GROUP BY cell_group ORDER BY 2");
    while (counts.step()) {
      const int64_t length = counts.integer(0);
      TESSERA_USER_CHECK(extent_ == 0 || length == extent_,
                         "array_agg of groups with {} rows, {}, and {} rows, {}: their tensors "
                         "would differ in shape",
                         extent_, group_text(0), length, group_text(counts.integer(1)));
      extent_ = length;
    }
  }

  void find_places() {
    database::Statement wrong = connection().prepare(
        fmt::format("SELECT cell_place FROM {} WHERE typeof(cell_place) <> 'integer' OR cell_place "
                    "< 1 LIMIT 1",
                    cells()));
    TESSERA_USER_CHECK(!wrong.step(), "{}: there is no place {}; places are counted from 1", name_,
                       wrong.text(0));
    extent_ = connection().integer("SELECT max(cell_place) FROM " + cells());
    if (call_.arguments.size() == 3) {
      const auto* const number = std::get_if<NumberLiteral>(&call_.arguments[2]->of);
      TESSERA_USER_CHECK(number != nullptr && number->is_integer && std::stoll(number->text) > 0,
                         "{}: how many there are is a number from 1 on", name_);
      TESSERA_USER_CHECK(std::stoll(number->text) >= extent_, "{}: there is no place {} of {}",
                         name_, extent_, number->text);
      extent_ = std::stoll(number->text);
    }
    database::Statement twice = connection().prepare(
        fmt::format("SELECT cell_place, cell_group FROM {} GROUP BY 2, 1 HAVING count(*) > 1 LIMIT "
                    "1",
                    cells()));
    TESSERA_USER_CHECK(!twice.step(), "{}: two rows are at the place {}{}", name_, twice.text(0),
                       keys_.empty() ? "" : " of " + group_text(twice.integer(1)));
  }

  /// "the group (2, x)"
  std::string group_text(int64_t group) {
    database::Statement row = connection().prepare(fmt::format(
        "SELECT {} FROM {} AS {} WHERE rowid = (SELECT min(cell_row) FROM {} WHERE cell_group = "
        "{})",
        keys_, sqlite_name(relation_.table), kFirstPart, cells(), group));
    row.step();
    std::vector<std::string> values;
    for (int64_t column = 0; column < row.num_columns(); ++column) {
      values.push_back(row.is_null(column) ? "NULL" : row.text(column));
    }
    return fmt::format("the group ({})", fmt::join(values, ", "));
  }

  ArrayType element(int64_t extent, DType of_scalars) const {
    if (tensor_ == nullptr) {
      return {of_scalars, {extent}};
    }
    ArrayType type = tensor_->element;
    type.shape.insert(name_ == "colmatrix" ? type.shape.end() : type.shape.begin(), extent);
    return type;
  }

  TensorRows of_scalars() {
    std::set<std::string> kinds;
    database::Statement types =
        connection().prepare("SELECT DISTINCT typeof(cell_value) FROM " + cells());
    while (types.step()) {
      kinds.insert(types.text(0));
    }
    if (kinds.count("text") != 0) {
      throw database::SqlError(database::SqlState::datatype_mismatch,
                               Error(ErrorKind::user, name_ + " of texts: tensors are of numbers"));
    }
    const bool is_integer = kinds == std::set<std::string>{"integer"};
    return is_integer ? filled<int64_t>(DType::i64) : filled<double>(DType::f64);
  }

  template <class T>
  TensorRows filled(DType dtype) {
    std::vector<T> values(static_cast<size_t>(num_groups_ * extent_), T{0});
    database::Statement query = connection().prepare(
        "SELECT cell_group, cell_place, cell_value FROM " + cells() + " ORDER BY rowid");
    while (query.step()) {
      const database::Value value = query.value(2);
      const auto* const integer = std::get_if<int64_t>(&value);
      values[static_cast<size_t>(query.integer(0) * extent_ + query.integer(1) - 1)] =
          integer != nullptr ? static_cast<T>(*integer) : static_cast<T>(std::get<double>(value));
    }
    return {compiler_.program().add_values(values, {num_groups_, extent_}),
            {num_groups_},
            element(extent_, dtype)};
  }

  /// Every group has as many rows: the rows are a grid.
  TensorRows in_order_of_rows() {
    const Shape grid{num_groups_, extent_};
    RowSpace space(compiler_.key_tables(), cells_->table, compiler_.program(), grid);
    FreshLabels labels;
    const Labels rows = labels.of(grid);
    const Labels modes = labels.of(tensor_->element.shape);
    return compiler_.program().add({num_groups_}, element(extent_, DType::f64),
                                   {left_of(joined(rows, modes)),
                                    space.read(*tensor_, "cell_value", rows, indices_of(modes))});
  }

  /// Each row goes to its place; what has none is 0, as a sum of nothing is.
  TensorRows at_places() {
    const int64_t num_cells = connection().integer("SELECT count(*) FROM " + cells());
    RowSpace space(compiler_.key_tables(), cells_->table, compiler_.program(), {num_cells});
    FreshLabels labels;
    const Labels rows = labels.of(Shape{num_cells});
    const Labels modes = labels.of(tensor_->element.shape);
    const GroupIndex place{space.read_positions("cell_place", extent_, name_, rows), extent_};
    LeftIndices left{GroupIndex{space.gathered("cell_group", rows), num_groups_}};
    left.insert(left.end(), modes.begin(), modes.end());
    left.insert(name_ == "colmatrix" ? left.end() : left.begin() + 1, place);
    const program::Expression value = space.read(*tensor_, "cell_value", rows, indices_of(modes));
    return compiler_.program().add({num_groups_}, element(extent_, DType::f64),
                                   {std::move(left), program::apply("sum", rows, {value})});
  }

  const Call& call_;
  const std::string& name_;
  const Relation& relation_;
  std::string keys_;
  QueryCompiler& compiler_;
  const TensorRows* tensor_ = nullptr;  // what is put together; null: numbers
  RelationPtr cells_;
  int64_t num_groups_ = 0;
  int64_t extent_ = 0;  // of the new mode
};

}  // namespace

bool builds_tensors(const std::string& function) {
  static const std::set<std::string> names{"array_agg", "vectorize", "rowmatrix", "colmatrix"};
  return names.count(function) != 0;
}

JoinedColumn built_tensors(const Call& call, const Relation& relation,
                           const std::vector<std::string>& keys, const std::string& name,
                           QueryCompiler& compiler) {
  Building building(call, relation, keys, compiler);
  JoinedColumn built{{name, name, building.build()}, "rowid", {}, {}};
  built.keys = building.rows();
  built.numbers = building.groups();
  return built;
}

}  // namespace tessera::sql
