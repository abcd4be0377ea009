#pragma once

#include <utility>

#include "expr/monoid.h"
#include "kernels/cpu/blocked/program.h"

namespace tessera::kernels {

/// More state entries than this are refused by name.
constexpr int kMaxStates = 8;

/// A monoid made ready to merge blocks of states. Threads: immutable once made.
class BlockReduction {
 public:
  /// Compiles a monoid's combine for an instruction set.
  static OrRefusal<BlockReduction> compile(const expr::Monoid& monoid, Isa isa);

  const expr::Monoid& monoid() const { return monoid_; }
  const BlockProgram& program() const { return program_; }

 private:
  BlockReduction(const expr::Monoid& monoid, BlockProgram program)
      : monoid_(monoid), program_(std::move(program)) {}

  expr::Monoid monoid_;
  BlockProgram program_;
};

}  // namespace tessera::kernels
