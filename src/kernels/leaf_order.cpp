#include "kernels/leaf_order.h"

#include <algorithm>
#include <vector>

#include "types/dtype.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

bool has(const std::vector<LabelNumber>& labels, LabelNumber label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

}  // namespace

OrRefusal<expr::SummedProduct> chain_of(const expr::TileProgram& program) {
  OrRefusal<expr::SummedProduct> product = expr::summed_product_of(program);
  if (!product) {
    return product;
  }
  if (is_complex(product->type)) {
    return Refusal{"complex products are summed in lanes"};
  }
  const auto in_a = expr::own_labels(product->a);
  const auto in_b = expr::own_labels(product->b);
  if (!in_a || !in_b) {
    return Refusal{"an access is not plain: a label repeats or an index is computed"};
  }
  const expr::TileStatement& statement = program.statements[0];
  const std::vector<LabelNumber>& over = expr::reduced_labels(statement);
  if (!std::all_of(over.begin(), over.end(),
                   [&](LabelNumber label) { return has(*in_a, label) && has(*in_b, label); })) {
    return Refusal{"a summed label is not in both factors"};
  }
  bool a_has_own = false;
  bool b_has_own = false;
  for (const LabelNumber label : statement.out) {
    if (!has(*in_a, label) && !has(*in_b, label)) {
      return Refusal{"a label of the result is in neither factor"};
    }
    a_has_own = a_has_own || !has(*in_b, label);
    b_has_own = b_has_own || !has(*in_a, label);
  }
  if (!a_has_own || !b_has_own) {
    return Refusal{"one of the factors has no label of its own, so it is no matrix product"};
  }
  return product;
}

}  // namespace tessera::kernels
