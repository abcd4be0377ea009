#pragma once

#include <span>
#include <utility>
#include <vector>

#include "expr/monoid.h"
#include "kernels/cpu/blocked/program.h"
#include "kernels/isa/fold_table.h"

namespace tessera::kernels {

/// The most state entries; more are refused by name.
constexpr int kMaxStates = 8;

/// A monoid compiled to merge blocks of states. Threads: immutable once made.
class BlockReduction {
 public:
  /// Compiles a monoid's combine for an instruction set.
  static OrRefusal<BlockReduction> compile(const expr::Monoid& monoid, Isa isa);

  const expr::Monoid& monoid() const { return monoid_; }
  const BlockProgram& program() const { return program_; }
  /// True if the states are integers or truths, each merged by itself: every order gives the same.
  bool is_exact() const;
  /// Returns the fold of each state entry, if every one is merged by itself with a function that
  /// has a fold.
  std::span<const ColumnFold> columns() const { return columns_; }
  /// Returns the folds for rows at arbitrary addresses.
  std::span<const MergedColumns> columns_apart() const { return columns_apart_; }

 private:
  BlockReduction(const expr::Monoid& monoid, BlockProgram program)
      : monoid_(monoid), program_(std::move(program)) {}

  expr::Monoid monoid_;
  BlockProgram program_;
  std::vector<ColumnFold> columns_;
  std::vector<MergedColumns> columns_apart_;
};

}  // namespace tessera::kernels
