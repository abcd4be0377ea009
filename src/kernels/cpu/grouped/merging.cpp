#include "kernels/cpu/grouped/merging.h"

namespace tessera::kernels {

namespace {

bool is_parameter(const expr::Scalar& scalar, int32_t node, size_t position) {
  const auto* parameter = std::get_if<expr::Parameter>(&scalar.nodes[static_cast<size_t>(node)].op);
  return parameter != nullptr && static_cast<size_t>(parameter->position) == position;
}

/// Returns the loops of the function that alone merges one entry of a state; null if there are
/// none.
const RowMergeEntry* merge_of(const expr::Monoid& monoid, size_t entry, Isa isa) {
  const expr::Scalar& combine = monoid.combine[entry];
  const auto* call = std::get_if<expr::Call>(&combine.nodes.back().op);
  const bool is_one_call = call != nullptr && call->arguments.size() == 2 &&
                           is_parameter(combine, call->arguments[0], entry) &&
                           is_parameter(combine, call->arguments[1], monoid.state.size() + entry);
  return is_one_call ? find_row_merge(call->function, monoid.state[entry], isa) : nullptr;
}

}  // namespace

std::vector<MergeRows> merges_of(const expr::Monoid& monoid, Isa isa) {
  std::vector<MergeRows> merges;
  for (size_t entry = 0; entry < monoid.state.size(); ++entry) {
    const RowMergeEntry* const found = merge_of(monoid, entry, isa);
    if (found == nullptr) {
      return {};
    }
    merges.push_back(found->merge);
  }
  return merges;
}

MergeRows merge_of_products(const expr::Monoid& monoid, Isa isa) {
  const RowMergeEntry* const found = monoid.state.size() == 1 ? merge_of(monoid, 0, isa) : nullptr;
  return found == nullptr ? nullptr : found->products;
}

}  // namespace tessera::kernels
