#include "optimizer/tra/distributes.h"

namespace tessera::optimizer {

namespace {

/// True if a kernel is one statement whose body is one element of the one array, at plain labels:
/// no element stands for one that lies outside.
bool picks_elements(const expr::TileProgram& kernel) {
  if (kernel.num_inputs != 1 || kernel.statements.size() != 1 ||
      kernel.statements[0].bodies.size() != 1 || kernel.statements[0].bodies[0].nodes.size() != 1) {
    return false;
  }
  const auto* access = std::get_if<expr::Access>(&kernel.statements[0].bodies[0].nodes.front().op);
  bool is_plain = access != nullptr;
  for (size_t mode = 0; is_plain && mode < access->index.size(); ++mode) {
    is_plain = expr::plain_label(access->index[mode]).has_value();
  }
  return is_plain;
}

/// Returns the merge of a kernel that picks elements; null if it only picks them. REQUIRES that its
/// order is not stated.
const expr::Monoid* merge_of(const expr::TileProgram& kernel) {
  return expr::monoid_of(kernel.statements[0]);
}

bool is_free_to_merge(const expr::TileProgram& kernel) {
  const expr::TileStatement& statement = kernel.statements[0];
  return expr::is_map(statement) ||
         (expr::reduction_of(statement) != nullptr && expr::stated_leaf(statement) == nullptr);
}

}  // namespace

bool distributes_over(const expr::TileProgram& kernel, const expr::Monoid& monoid) {
  if (!picks_elements(kernel) || !is_free_to_merge(kernel)) {
    return false;
  }
  const expr::Monoid* merge = merge_of(kernel);
  return monoid.state.size() == 1 && (merge == nullptr || *merge == monoid);
}

bool distributes_over(const expr::TileProgram& kernel, const std::string& function) {
  if (!picks_elements(kernel) || !is_free_to_merge(kernel)) {
    return false;
  }
  const expr::Monoid* merge = merge_of(kernel);
  return merge == nullptr || expr::merging_function(*merge) == function;
}

}  // namespace tessera::optimizer
