#include "kernels/cpu/blocked/reduction.h"

#include <fmt/format.h>

namespace tessera::kernels {

BlockReduction::BlockReduction(const expr::Monoid& monoid, Isa isa, std::string& reason)
    : monoid_(monoid), program_(monoid.combine, isa, reason) {
  if (monoid.state.size() > static_cast<size_t>(kMaxStates)) {
    reason = fmt::format("the aggregate {} has {} states, more than {}", monoid.name,
                         monoid.state.size(), kMaxStates);
  }
}

}  // namespace tessera::kernels
