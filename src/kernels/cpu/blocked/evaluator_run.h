#pragma once

#include <array>
#include <optional>

#include "kernels/cpu/blocked/accumulator.h"
#include "kernels/cpu/blocked/column_accumulator.h"
#include "kernels/cpu/blocked/evaluator.h"
#include "kernels/cpu/blocked/loop.h"
#include "kernels/cpu/blocked/machine.h"
#include "kernels/cpu/blocked/stored_states.h"
#include "kernels/cpu/walk/iteration_space.h"

namespace tessera::kernels {

/// The state of a call of an evaluator, and its walks: a map's and the shared ones in
/// evaluator.cpp, a reduction's by lanes in evaluator_lanes.cpp, by rows in evaluator_rows.cpp.
struct BlockedEvaluator::Run {
  /// Blocks that are merged several at a time, in place.
  struct StoredColumns {
    StoredStates states;
    MergedColumns merge_first = nullptr;  // of the first state's operand; null: of the state
    bool is_exact = false;
  };

  const BlockedEvaluator& evaluator;
  const KernelCall& call;
  IterationSpace space;
  BlockShape block;
  int num_inputs = 0;  // streams [0, num_inputs) are read, the outputs follow
  std::array<int64_t, kMaxStreams> origins;
  std::array<BlockView, kMaxStreams> views;
  uint16_t* staging = nullptr;
  std::byte* before = nullptr;
  BlockMachine machine;
  bool merges_rows = false;  // by the evaluator's merging program
  BlockAccumulator accumulator;
  ColumnAccumulator columns;
  std::array<RowAccumulator, kMostRowsTogether> rows;

  Run(const BlockedEvaluator& of, const KernelCall& with)
      : evaluator(of), call(with), num_inputs(static_cast<int>(of.program_.streams().size())) {}

  void set_up();
  void look(int64_t count, int64_t out_count);
  Status compute(void* target) {
    return machine.run(views.data(), views[0].count, target, staging);
  }
  Status map();
  Status reduce();
  std::optional<StoredColumns> stored_columns();
  Status reduce_block(BlockLoop& loop);
  bool take_columns();
  void set_dims(int num_dims, int num_out_dims);
  void reduce_columns();
  Status compute_states(int64_t count, StateAddresses& states);
  std::array<void*, kMaxStates> row_targets() const;
  Status reduce_rows();
  Status reduce_row(BlockLoop& loop, void* const* targets);
  StoredStates stored() const { return {evaluator.program_, machine, views.data()}; }
  bool has_stored_rows();
  int64_t rows_together() const;
  Status reduce_stored_rows();
  Status reduce_merged_rows();
  Status store_results(int64_t count);
};

}  // namespace tessera::kernels
