#pragma once

#include "expr/monoid.h"
#include "kernels/cpu/blocked/program.h"

namespace tessera::kernels {

/// More state entries than this are refused by name.
constexpr int kMaxStates = 8;

/// A monoid made ready to merge blocks of states. Threads: immutable once made.
class BlockReduction {
 public:
  /// Compiles a monoid's combine. `reason` says why it cannot, and is empty where it can.
  BlockReduction(const expr::Monoid& monoid, Isa isa, std::string& reason);

  const expr::Monoid& monoid() const { return monoid_; }
  const BlockProgram& program() const { return program_; }

 private:
  expr::Monoid monoid_;
  BlockProgram program_;
};

}  // namespace tessera::kernels
