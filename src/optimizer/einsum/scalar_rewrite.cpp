#include "optimizer/einsum/scalar_rewrite.h"

#include <algorithm>

namespace tessera::optimizer {

using expr::LabelNumber;

int32_t copy_into(expr::ScalarBuilder& builder, const expr::Scalar& scalar,
                  const LeafCopy& copy_leaf) {
  std::vector<int32_t> where;
  for (const expr::Node& node : scalar.nodes) {
    if (const auto* call = std::get_if<expr::Call>(&node.op)) {
      std::vector<int32_t> arguments;
      for (const int32_t argument : call->arguments) {
        arguments.push_back(where[static_cast<size_t>(argument)]);
      }
      where.push_back(builder.call(call->function, std::move(arguments), node.dtype));
    } else if (const auto* cast = std::get_if<expr::Cast>(&node.op)) {
      where.push_back(
          builder.add({expr::Cast{where[static_cast<size_t>(cast->argument)]}, node.dtype}));
    } else {
      where.push_back(copy_leaf(builder, node));
    }
  }
  return where.back();
}

expr::Scalar part_of(const expr::Scalar& scalar, int32_t node) {
  expr::ScalarBuilder builder;
  for (int32_t number = 0; number <= node; ++number) {
    builder.add(scalar.nodes[static_cast<size_t>(number)]);
  }
  return builder.finish(node);
}

expr::AffineIndex renumber(expr::AffineIndex index,
                           const std::vector<expr::LabelNumber>& renumbered) {
  for (expr::AffineIndex::Term& term : index.terms) {
    term.label = renumbered[static_cast<size_t>(term.label)];
  }
  return index;
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
    for (const expr::AffineIndex& index : access->index) {
      for (const expr::AffineIndex::Term& term : index.terms) {
        append(term.label);
      }
    }
  }
  for (const expr::Node& node : scalar.nodes) {
    if (const auto* index = std::get_if<expr::IndexOf>(&node.op)) {
      append(index->label);
    }
  }
  return labels;
}

int32_t copy_leaf(expr::ScalarBuilder& builder, const expr::Node& leaf,
                  const std::vector<LabelNumber>& labels, const std::vector<int32_t>& operands) {
  expr::Node copy = leaf;
  if (auto* access = std::get_if<expr::Access>(&copy.op)) {
    access->operand = operands[static_cast<size_t>(access->operand)];
    for (expr::AffineIndex& index : access->index) {
      index = renumber(std::move(index), labels);
    }
  } else if (auto* index_of = std::get_if<expr::IndexOf>(&copy.op)) {
    index_of->label = labels[static_cast<size_t>(index_of->label)];
  }
  return builder.add(std::move(copy));
}

}  // namespace tessera::optimizer
