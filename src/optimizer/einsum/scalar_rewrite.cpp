#include "optimizer/einsum/scalar_rewrite.h"

#include <algorithm>

namespace tessera::optimizer {

using expr::LabelNumber;

int32_t copy_into(expr::ScalarBuilder& builder, const expr::Scalar& scalar,
                  const LeafCopy& copy_leaf) {
  std::vector<int32_t> where;
  for (const expr::Node& node : scalar.nodes) {
    expr::Node copy = expr::with_arguments(node, where);
    where.push_back(expr::is_computed(node) ? builder.add(std::move(copy))
                                            : copy_leaf(builder, copy));
  }
  return where.back();
}

std::vector<LabelNumber> labels_in(const expr::Scalar& scalar) {
  std::vector<const expr::Access*> accesses = expr::accesses_of(scalar);
  std::stable_sort(accesses.begin(), accesses.end(),
                   [](const auto* a, const auto* b) { return a->index.size() > b->index.size(); });
  std::vector<LabelNumber> labels;
  const auto append = [&](LabelNumber label) {
    if (std::find(labels.begin(), labels.end(), label) == labels.end()) {
      labels.push_back(label);
    }
  };
  for (const expr::Access* access : accesses) {
    for (const expr::Index& index : access->index) {
      expr::for_each_label(index, append);
      expr::for_each_node(index, [&](int32_t position) {
        const std::vector<LabelNumber> own = labels_in(part_of(scalar, position));
        std::for_each(own.begin(), own.end(), append);
      });
    }
  }
  for (const expr::Node& node : scalar.nodes) {
    expr::for_each_label(node, append);
  }
  return labels;
}

int32_t copy_leaf(expr::ScalarBuilder& builder, const expr::Node& leaf,
                  const std::vector<LabelNumber>& labels, const std::vector<int32_t>& operands) {
  return builder.add(expr::renumbered(leaf, labels, operands));
}

}  // namespace tessera::optimizer
