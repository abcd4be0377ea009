#include "optimizer/einsum/part_sum.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "optimizer/einsum/operand_list.h"
#include "optimizer/einsum/product.h"
#include "optimizer/einsum/scalar_rewrite.h"

namespace tessera::optimizer {

namespace {

using einsum::EinSum;
using einsum::Vertex;
using expr::LabelNumber;

/// Returns the labels of the result that a part has, in the result's order.
std::vector<LabelNumber> results_of(const EinSum& einsum, const expr::Scalar& part) {
  const std::vector<LabelNumber> own = labels_in(part);
  std::vector<LabelNumber> results;
  std::copy_if(
      einsum.out.begin(), einsum.out.end(), std::back_inserter(results),
      [&](LabelNumber label) { return std::find(own.begin(), own.end(), label) != own.end(); });
  return results;
}

/// Copies a part into a builder in a dtype; a product has its factors in that dtype too.
int32_t copy_part(expr::ScalarBuilder& builder, const expr::Scalar& part,
                  const OperandList& operands, const std::vector<LabelNumber>& numbers,
                  DType dtype) {
  if (factor_nodes(part).empty()) {
    return builder.cast(operands.copy(builder, part, numbers), dtype);
  }
  return copy_product(builder, part, dtype, [&](expr::ScalarBuilder& to, int32_t factor) {
    return to.cast(operands.copy(to, part_of(part, factor), numbers), dtype);
  });
}

}  // namespace

Vertex sum_of_part(const Vertex& vertex, const expr::Scalar& part, std::string name) {
  const EinSum& einsum = einsum::einsum_of(vertex);
  EinSum made;
  Vertex sum;
  std::vector<LabelNumber> numbers(einsum.labels.size(), -1);
  const auto take = [&](LabelNumber label) {
    numbers[static_cast<size_t>(label)] = static_cast<LabelNumber>(made.labels.size());
    made.labels.push_back(einsum.labels[static_cast<size_t>(label)]);
    return numbers[static_cast<size_t>(label)];
  };
  for (const LabelNumber label : results_of(einsum, part)) {
    made.out.push_back(take(label));
    sum.labels.push_back(made.labels.back().name);
    sum.type.shape.push_back(made.labels.back().extent);
  }
  for (const LabelNumber label : einsum.over) {
    made.over.push_back(take(label));
  }
  made.aggregate = einsum.aggregate;
  made.reduction = over_states(*einsum.reduction);
  OperandList operands(vertex);
  operands.meet(part);
  expr::ScalarBuilder builder;
  made.body = builder.finish(
      copy_part(builder, part, operands, numbers, einsum.reduction->monoid.state.front()));
  sum.type.dtype = made.reduction->result();
  sum.op = std::move(made);
  sum.operands = operands.vertices();
  sum.name = std::move(name);
  sum.origin = vertex.origin;
  return sum;
}

expr::Access at_sum_of_part(const EinSum& einsum, const expr::Scalar& part,
                            const std::vector<LabelNumber>& numbers) {
  expr::Access access;
  for (const LabelNumber label : results_of(einsum, part)) {
    access.index.push_back(expr::plain(numbers[static_cast<size_t>(label)]));
  }
  return access;
}

std::vector<LabelNumber> numbers_in_results(const EinSum& einsum) {
  std::vector<LabelNumber> numbers(einsum.labels.size(), -1);
  for (size_t mode = 0; mode < einsum.out.size(); ++mode) {
    numbers[static_cast<size_t>(einsum.out[mode])] = static_cast<LabelNumber>(mode);
  }
  return numbers;
}

int64_t num_reduced_positions(const EinSum& einsum) {
  int64_t count = 1;
  for (const LabelNumber label : einsum.over) {
    count *= einsum.labels[static_cast<size_t>(label)].extent;
  }
  return count;
}

}  // namespace tessera::optimizer
