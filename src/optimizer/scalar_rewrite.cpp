#include "optimizer/scalar_rewrite.h"

namespace tessera::optimizer {

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

}  // namespace tessera::optimizer
