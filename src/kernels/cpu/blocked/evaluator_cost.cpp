#include "kernels/cpu/blocked/evaluator_cost.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "kernels/cpu/cost/element_seconds.h"
#include "kernels/cpu/cost/overlap.h"
#include "kernels/cpu/cost/statement_cost.h"

namespace tessera::kernels {

namespace {

/// True if an operand is read across the order in which a result without `reduce` is written.
bool is_transposed(const expr::TileStatement& statement, const expr::Access& access) {
  if (!expr::is_map(statement) || statement.out.empty() || access.index.empty()) {
    return false;
  }
  const auto walks_innermost = [&](const expr::Index& index) {
    return expr::mentions(index, statement.out.back());
  };
  return !walks_innermost(access.index.back()) &&
         std::any_of(access.index.begin(), access.index.end(), walks_innermost);
}

/// Steps of a block function, for 4 bytes, that equal the share of an element in logsumexp:
/// measured on rows of 1,000 f32 (Zen 4, 2026-11).
constexpr double kSharesSteps = 4;

/// Returns the size of an element of the first state, in steps of 4 bytes.
double size_in_steps(const expr::TileStatement& statement) {
  return static_cast<double>(size_of(statement.bodies[0].dtype())) / 4;
}

/// True if elements go through blocks; else they are merged as they are read.
bool has_blocks(const expr::TileStatement& statement, const BlockedEvaluator& evaluator) {
  const auto num_computed = [](const expr::Scalar& body) {
    return std::count_if(body.nodes.begin(), body.nodes.end(), &expr::is_computed);
  };
  const int64_t most = evaluator.merges_first_state() ? 1 : 0;
  return (!evaluator.merges_first_state() && !evaluator.has_folds()) ||
         std::any_of(statement.bodies.begin(), statement.bodies.end(),
                     [&](const expr::Scalar& body) { return num_computed(body) > most; });
}

/// Returns the predicate for streams of the evaluator that are expected to have one value in a
/// block.
IsUniform uniform_in(const BlockedEvaluator& evaluator) {
  return [&evaluator](const Streamed& read) {
    const std::span<const Streamed> streams = evaluator.streams();
    const auto found = std::find(streams.begin(), streams.end(), read);
    const auto stream = static_cast<size_t>(found - streams.begin());
    return stream < streams.size() && evaluator.expected_uniform()[stream];
  };
}

/// Returns the seconds of an element of the first state, which is merged while it is computed.
double merged_seconds(const expr::Scalar& body, const BlockedEvaluator& evaluator,
                      const Context& context) {
  const std::optional<int> functions = evaluator.merging_functions();
  return functions && has_instructions_only(body, context)
             ? merged_seconds_per_element(body, context, *functions)
             : merged_seconds_per_element(body, context, uniform_in(evaluator));
}

double seconds_of(const expr::TileStatement& statement, const BlockedEvaluator& evaluator,
                  const CallShape& shape, const Context& context) {
  const KernelRates& rates = context.machine.rates;
  const double results = num_positions(statement.out, shape);
  const double positions = results * num_positions(expr::reduced_labels(statement), shape);
  double seconds = 0;
  for (const expr::Scalar& body : statement.bodies) {
    const bool is_merged = evaluator.merges_first_state() && &body == &statement.bodies.front();
    seconds += positions * (is_merged ? merged_seconds(body, evaluator, context)
                                      : seconds_per_element(body, context, uniform_in(evaluator)));
    for (const expr::Access* access : expr::accesses_of(body)) {
      if (is_transposed(statement, *access)) {
        seconds += positions * rates.transposed_element_seconds;
      }
    }
  }
  if (const expr::Reduce* reduce = expr::reduction_of(statement)) {
    const std::vector<expr::Scalar>& combine = reduce->monoid.combine;
    for (size_t state = 0; state < combine.size(); ++state) {
      const bool is_free = (evaluator.merges_first_state() && state == 0) ||
                           evaluator.counts_state(state) || evaluator.folds_logsumexp();
      seconds += is_free ? 0 : positions * seconds_per_element(combine[state], context);
    }
    seconds += evaluator.folds_logsumexp()
                   ? positions * kSharesSteps * size_in_steps(statement) / rates.steps_per_second
                   : 0;
    seconds += (results / static_cast<double>(kBlock) + 1) * rates.fold_seconds;
  }
  const double blocks =
      has_blocks(statement, evaluator) ? positions / static_cast<double>(kBlock) : 0;
  return seconds + (blocks + 1) * rates.block_seconds;
}

}  // namespace

Cost evaluator_cost(const expr::TileStatement& statement, const BlockedEvaluator& evaluator,
                    const CallShape& shape, const Context& context) {
  const KernelRates& rates = context.machine.rates;
  const double flops = num_positions(statement.out, shape) *
                       num_positions(expr::reduced_labels(statement), shape) * num_calls(statement);
  const double seconds = rates.call_seconds + seconds_of(statement, evaluator, shape, context);
  Cost cost = overlapping_cost(flops, bytes_moved(statement, shape), seconds, rates);
  // Gathered rows wait for memory, each by itself.
  cost.seconds += evaluator.num_loaded_rows(shape) * rates.row_seconds;
  return cost;
}

}  // namespace tessera::kernels
