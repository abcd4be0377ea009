#include "kernels/cpu/blocked/reduction.h"

#include <fmt/format.h>

namespace tessera::kernels {

OrRefusal<BlockReduction> BlockReduction::compile(const expr::Monoid& monoid, Isa isa) {
  if (monoid.state.size() > static_cast<size_t>(kMaxStates)) {
    return Refusal{fmt::format("the aggregate {} has {} states, more than {}", monoid.name,
                               monoid.state.size(), kMaxStates)};
  }
  OrRefusal<BlockProgram> program = BlockProgram::compile(monoid.combine, isa);
  if (!program) {
    return program.refusal();
  }
  return BlockReduction(monoid, std::move(*program));
}

}  // namespace tessera::kernels
