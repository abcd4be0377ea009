#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "kernels/cpu/blocked/accumulator.h"
#include "kernels/cpu/blocked/column_accumulator.h"
#include "kernels/cpu/blocked/evaluator.h"
#include "kernels/cpu/blocked/loading.h"
#include "kernels/cpu/blocked/merged_rows.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/cpu/walk/state_function.h"
#include "kernels/workspace.h"

/// The preparations for a call.
namespace tessera::kernels {

namespace {

/// Returns the most blocks that one result is reduced from, each of at least one position.
int64_t most_blocks(const expr::TileStatement& statement, const CallShape& shape) {
  int64_t blocks = 1;
  for (const expr::LabelNumber label : expr::reduced_labels(statement)) {
    blocks = counted(blocks, shape.ranges[static_cast<size_t>(label)].length);
  }
  return blocks;
}

/// Returns the bytes of the first state of all positions of a call.
int64_t bytes_of_states(const BlockReduction& reduction, const CallShape& shape) {
  int64_t bytes = size_of(compute_type(reduction.monoid().state[0]));
  for (const LabelRange& range : shape.ranges) {
    bytes = counted(bytes, range.length);
  }
  return bytes;
}

/// Returns the results that are merged at once if they lie side by side: for each state as many
/// bytes as stay in the second cache with the operands, a small part of it.
int64_t most_columns(const BlockReduction& reduction, const CallShape& shape, int64_t columns) {
  constexpr int64_t kFewestBytes = int64_t{4} << 10;
  constexpr int64_t kMostBytes = int64_t{128} << 10;
  constexpr int64_t kParts = 32;
  int64_t size = 1;
  for (const DType state : reduction.monoid().state) {
    size = std::max(size, size_of(compute_type(state)));
  }
  const int64_t bytes =
      std::clamp(bytes_of_states(reduction, shape) / kParts, kFewestBytes, kMostBytes);
  return std::min(columns, bytes / size);
}

/// Returns the body without a last conversion from f32 to f16 or bf16, which storing the result
/// makes.
expr::Scalar without_stored_rounding(expr::Scalar body) {
  const auto* cast = std::get_if<expr::Cast>(&body.nodes.back().op);
  const bool is_half = compute_type(body.dtype()) != body.dtype();
  if (cast != nullptr && is_half && static_cast<size_t>(cast->argument) + 2 == body.nodes.size() &&
      compute_type(body.nodes[body.nodes.size() - 2].dtype) == DType::f32) {
    body.nodes.pop_back();
  }
  return body;
}

/// Returns the expressions that the evaluator of a statement computes. A reduction keeps its last
/// rounding, because it merges rounded values.
std::vector<expr::Scalar> computed_bodies(const expr::TileStatement& statement) {
  std::vector<expr::Scalar> bodies = statement.bodies;
  if (expr::is_map(statement)) {
    std::transform(bodies.begin(), bodies.end(), bodies.begin(), &without_stored_rounding);
  }
  return bodies;
}

}  // namespace

OrRefusal<std::shared_ptr<const BlockedEvaluator>> BlockedEvaluator::compile(
    const expr::TileStatement& statement, const CallShape& shape, Isa isa,
    const BlockProgram::CodeOf& code_of) {
  OrRefusal<BlockProgram> program = BlockProgram::compile(computed_bodies(statement), isa);
  if (!program) {
    return program.refusal();
  }
  if (std::optional<Refusal> refusal =
          too_many_streams(program->streams().size() + statement.bodies.size())) {
    return std::move(*refusal);
  }
  const std::shared_ptr<BlockedEvaluator> evaluator(
      new BlockedEvaluator(statement, std::move(*program)));
  if (const expr::Reduce* reduce = expr::reduction_of(statement)) {
    OrRefusal<BlockReduction> reduction = BlockReduction::compile(reduce->monoid, isa);
    if (!reduction) {
      return reduction.refusal();
    }
    evaluator->reduction_.emplace(std::move(*reduction));
    evaluator->rows_.emplace(reduce->monoid, isa);
    evaluator->rows_->count_constants(reduce->monoid, evaluator->program_);
  }
  ExpectedBlocks expected =
      expected_blocks(statement, evaluator->program_.streams(), shape, evaluator->has_folds());
  if (code_of) {
    evaluator->generate(expected, isa, code_of);
  }
  if (!evaluator->merging_) {
    evaluator->merge_functions(expected, isa);
  }
  evaluator->num_blocks_ = most_blocks(statement, shape);
  const bool has_rows_apart = expr::reduced_labels(statement).size() > 1 && !statement.out.empty();
  if (has_rows_apart && evaluator->has_folds()) {
    const int64_t bytes_of_row = evaluator->rows_->workspace_bytes(evaluator->num_blocks_);
    const int64_t small_part = bytes_of_states(*evaluator->reduction_, shape) / 8;
    evaluator->rows_together_ =
        std::clamp<int64_t>(small_part / bytes_of_row, 1, kMostRowsTogether);
  }
  if (evaluator->may_have_stored_columns()) {
    evaluator->columns_width_ = most_columns(*evaluator->reduction_, shape, expected.columns);
  }
  evaluator->expected_uniform_ = std::move(expected.uniform_streams);
  return std::shared_ptr<const BlockedEvaluator>(evaluator);
}

/// Generates code. Rows that are merged whole get no other code: the other merges are for operands
/// that are laid out differently.
void BlockedEvaluator::generate(const ExpectedBlocks& expected, Isa isa,
                                const BlockProgram::CodeOf& code_of) {
  BlockProgram::Generation generation{code_of, expected.uniform_streams};
  const expr::Reduce* reduce = expr::reduction_of(statement_);
  const bool merges = expected.are_single_rows && rows_->counts_all_but_first();
  generation.merge = merges ? merge_in_code(reduce->monoid) : std::nullopt;
  BlockProgram generated = *BlockProgram::compile(computed_bodies(statement_), isa, &generation);
  if (generated.merges()) {
    merging_ = std::move(generated);
  } else if (!generated.reads_firsts()) {
    program_ = std::move(generated);
  }
}

/// Merges in the manner of generate(), but by functions that are compiled in, and by columns.
void BlockedEvaluator::merge_functions(const ExpectedBlocks& expected, Isa isa) {
  if (!has_folds() || !rows_->counts_all_but_first()) {
    return;
  }
  const std::optional<std::string> merge =
      merging_function_of(expr::reduction_of(statement_)->monoid, 0);
  if (!merge) {
    return;
  }
  merged_columns_ = program_.columns_merged_by(*merge, isa);
  if (expected.are_single_rows) {
    merging_ = program_.merged_by(*merge, expected.uniform_streams, isa);
  }
}

std::optional<int> BlockedEvaluator::merging_functions() const {
  return merging_ ? std::optional(merging_->num_functions(expected_uniform_)) : std::nullopt;
}

/// True if every state may be an element in memory, or is counted.
bool BlockedEvaluator::may_have_stored_columns() const {
  if (!has_folds() || reduction_->columns().empty()) {
    return false;
  }
  for (size_t state = 0; state < program_.results().size(); ++state) {
    const auto value = static_cast<size_t>(program_.results()[state]);
    const bool is_made = state == 0 && merged_columns_ != nullptr;
    if (!rows_->summand(state) && !is_made &&
        !std::holds_alternative<BlockProgram::FromStream>(program_.values()[value].from)) {
      return false;
    }
  }
  return true;
}

int64_t BlockedEvaluator::workspace_bytes() const {
  return kStagingBytes + buffer_bytes() + result_bytes() +
         (reduction_ ? BlockAccumulator::workspace_bytes(*reduction_, num_blocks_) : 0) +
         (columns_width_ > 0
              ? ColumnAccumulator::workspace_bytes(*reduction_, columns_width_, num_blocks_)
              : 0) +
         (has_folds() ? rows_together_ * rows_->workspace_bytes(num_blocks_) : 0);
}

int64_t BlockedEvaluator::buffer_bytes() const {
  return std::max(program_.buffer_bytes(), merging_ ? merging_->buffer_bytes() : 0);
}

int64_t BlockedEvaluator::result_bytes() const {
  int64_t bytes = 0;
  for (const expr::Scalar& body : statement_.bodies) {
    bytes += aligned_bytes(kBlock * size_of(compute_type(body.dtype())));
  }
  return bytes;
}

double BlockedEvaluator::num_loaded_rows(const CallShape& shape) const {
  return kernels::num_loaded_rows(statement_, program_.streams(), shape, has_folds());
}

}  // namespace tessera::kernels
