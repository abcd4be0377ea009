#include "kernels/leaf_order.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "base/overload.h"
#include "types/dtype.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

bool has(const std::vector<LabelNumber>& labels, LabelNumber label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

bool is_gathered(const expr::Index& index) {
  bool reads_node = false;
  expr::for_each_node(index, [&](int32_t) { reads_node = true; });
  return reads_node;
}

/// Returns the index without the boundary and the divisor that its operand may be copied by.
expr::Index without_boundary(const expr::Index& index) {
  return std::visit(
      Overload{[&](const Among<expr::PlainIndex, expr::FixedIndex, expr::GatheredIndex> auto&) {
                 return index;
               },
               [](const expr::AffineIndex& affine) {
                 return expr::affine({affine.terms, affine.offset});
               }},
      index);
}

/// Returns the labels of a gathered access, each once; nothing if it also reads a window.
std::optional<std::vector<LabelNumber>> gathered_labels(const expr::Access& access,
                                                        const expr::Scalar& body) {
  std::vector<LabelNumber> labels;
  const auto add = [&](LabelNumber label) {
    if (!has(labels, label)) {
      labels.push_back(label);
    }
  };
  for (const expr::Index& index : access.index) {
    if (!is_gathered(index) && !expr::is_plain_or_fixed(index)) {
      return std::nullopt;
    }
    expr::for_each_label(index, add);
    expr::for_each_node(index, [&](int32_t node) {
      const std::vector<LabelNumber> below = expr::labels_below(body, node);
      std::for_each(below.begin(), below.end(), add);
    });
  }
  return labels;
}

/// Returns the labels of a factor; nothing if neither it nor a copy of its operand is a plain
/// array.
std::optional<std::vector<LabelNumber>> labels_of(const expr::Access& access,
                                                  const expr::Scalar& body) {
  if (std::any_of(access.index.begin(), access.index.end(), is_gathered)) {
    return gathered_labels(access, body);
  }
  expr::Access copied{access.operand, {}};
  std::transform(access.index.begin(), access.index.end(), std::back_inserter(copied.index),
                 without_boundary);
  return expr::own_labels(copied);
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
  const expr::TileStatement& statement = program.statements[0];
  const auto in_a = labels_of(product->a, statement.bodies[0]);
  const auto in_b = labels_of(product->b, statement.bodies[0]);
  if (!in_a || !in_b) {
    return Refusal{"a factor is no plain array: a label repeats or an index has several"};
  }
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
