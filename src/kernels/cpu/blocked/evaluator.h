#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/cpu/blocked/loading.h"
#include "kernels/cpu/blocked/program.h"
#include "kernels/cpu/blocked/reduction.h"
#include "kernels/cpu/blocked/row_reduction.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/kernel.h"

namespace tessera::kernels {

/// One statement, run over blocks of kBlock elements.
///
/// The labels are simplified (iteration_space.h), a block is chosen (blocked/shape.h), and a loop
/// walks blocks over the kept labels and, for each, over the reduced ones. A reduction finishes
/// every kept block before the next: lanes by a BlockAccumulator, rows by a RowAccumulator.
class BlockedEvaluator : public PreparedKernel {
 public:
  /// Compiles a statement, with generated code if it is given. Refuses accesses that are not affine
  /// and functions that have no block code.
  static OrRefusal<std::shared_ptr<const BlockedEvaluator>> compile(
      const expr::TileStatement& statement, const CallShape& shape, Isa isa,
      const BlockProgram::CodeOf& code_of = {});

  const expr::TileStatement& statement() const { return statement_; }

  /// Returns the workspace of any call of the shape that it was compiled for.
  int64_t workspace_bytes() const;

  Status run(const KernelCall& call) const noexcept override;

  /// True if the first state's expression is merged in registers while it is computed.
  bool merges_first_state() const { return merging_ || merged_columns_ != nullptr; }
  /// True if rows of states are merged in registers.
  bool has_folds() const { return rows_ && rows_->has_folds(); }
  /// True if rows of states are merged by logsumexp.
  bool folds_logsumexp() const { return has_folds() && rows_->is_logsumexp(); }
  /// True if a state is a constant that is counted, not merged.
  bool counts_state(size_t state) const { return has_folds() && rows_->summand(state); }

  /// By stream, true if it is expected to have one value in every block.
  const std::vector<bool>& expected_uniform() const { return expected_uniform_; }
  /// Returns the functions of an element if rows are merged while they are computed.
  std::optional<int> merging_functions() const;
  std::span<const Streamed> streams() const { return program_.streams(); }

  /// Returns the rows that are copied in a call on dense operands.
  double num_loaded_rows(const CallShape& shape) const;

 private:
  static constexpr int64_t kStagingBytes = kBlock * 2;
  static constexpr size_t kMostRowsTogether = 32;

  struct Run;  // the state of one call

  BlockedEvaluator(const expr::TileStatement& statement, BlockProgram program)
      : statement_(statement), program_(std::move(program)) {}

  void generate(const ExpectedBlocks& expected, Isa isa, const BlockProgram::CodeOf& code_of);
  void merge_functions(const ExpectedBlocks& expected, Isa isa);
  bool may_have_stored_columns() const;

  /// Returns the buffers for outputs that are merged into.
  int64_t result_bytes() const;
  /// Returns the buffers of the larger program that a call may run.
  int64_t buffer_bytes() const;
  expr::TileStatement statement_;
  BlockProgram program_;
  std::vector<bool> expected_uniform_;  // by stream
  /// Merges rows while it computes them, if streams have one value in a block as expected.
  std::optional<BlockProgram> merging_;
  /// Merges the first state's operand by columns; the other states are constants.
  const MergedFunction* merged_columns_ = nullptr;
  std::optional<BlockReduction> reduction_;
  std::optional<RowReduction> rows_;  // used if it has folds
  int64_t num_blocks_ = 0;            // at most, of one result
  int64_t rows_together_ = 1;         // at most
  // of results side by side, at most; 0: not merged side by side
  int64_t columns_width_ = 0;
};

}  // namespace tessera::kernels
