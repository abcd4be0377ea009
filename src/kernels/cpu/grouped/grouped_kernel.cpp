#include <algorithm>

#include "kernels/context.h"
#include "kernels/cpu/cost/element_seconds.h"
#include "kernels/cpu/cost/overlap.h"
#include "kernels/cpu/cost/random_access.h"
#include "kernels/cpu/cost/statement_cost.h"
#include "kernels/cpu/grouped/rows.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/registry.h"

/// grouped: a reduction that merges an element only if labels of the result have certain positions,
/// Y[g,e] = sum[n where G[n] == g] X[n,e], in one pass over the elements.
namespace tessera::kernels::kernel_grouped {

namespace {

double num_calls_in(const LeafExpressions& expressions) {
  double calls = 0;
  for (const expr::Scalar& body : expressions.bodies) {
    calls += static_cast<double>(std::count_if(
        body.nodes.begin(), body.nodes.end(),
        [](const expr::Node& node) { return std::holds_alternative<expr::Call>(node.op); }));
  }
  return calls;
}

double seconds_of(const LeafExpressions& expressions, const Context& context) {
  double seconds = 0;
  for (const expr::Scalar& body : expressions.bodies) {
    seconds += seconds_per_element(body, context);
  }
  const auto loads = static_cast<double>(expressions.leaves.size());
  return seconds + loads / context.machine.rates.steps_per_second;
}

/// Seconds to reach a row of results anywhere in memory, beside its elements; measured: rows of 16
/// and of 64 f32 out of 25 MB, bench/groups, Zen, 2026-11.
constexpr double kFarRowSeconds = 30e-9;

/// Seconds to read and check a stage's integer in place; and to merge one number of an operand, or
/// a constant, into a result in the cache. Measured on bytes that are counted, on f32 by i32 into
/// 1,000 groups and on edges (bench/limits, Zen 4, 2026-11).
constexpr double kStoredStageSeconds = 0.2e-9;
constexpr double kStoredMergeSeconds = 0.4e-9;
/// Seconds that a merge waits for a result beyond the first cache, measured on 100,000 f64.
constexpr double kSecondCacheSeconds = 1.2e-9;
constexpr double kFirstCacheBytes = 32 << 10;

double stored_merge_seconds(double result_bytes, const Machine& machine) {
  const double near = result_bytes > kFirstCacheBytes ? kSecondCacheSeconds : 0;
  return kStoredMergeSeconds + std::max(near, random_access_seconds(result_bytes, machine.caches));
}

/// Returns the seconds to reach the result of a row, beside its elements. One number waits for its
/// line like a read at a random place; rows wait for several lines.
double merge_seconds(double row_bytes, double result_bytes, const Machine& machine) {
  constexpr double kOfOneNumber = 16;
  const bool is_far = result_bytes > static_cast<double>(machine.caches.core_bytes);
  if (row_bytes <= kOfOneNumber) {
    return machine.rates.grouped_merge_seconds +
           random_access_seconds(result_bytes, machine.caches);
  }
  return is_far ? kFarRowSeconds : machine.rates.grouped_merge_seconds;
}

bool reads(const expr::Access& access, std::optional<expr::LabelNumber> label) {
  return std::any_of(access.index.begin(), access.index.end(), [&](const expr::Index& index) {
    return label && expr::mentions(index, *label);
  });
}

/// Returns the bytes that the leaves read, those with the inner label at each of its positions.
double bytes_of(const LeafExpressions& expressions, std::optional<expr::LabelNumber> inner,
                double num_inner) {
  double bytes = 0;
  for (const GroupedLeaf& leaf : expressions.leaves) {
    const auto* access = std::get_if<expr::Access>(&leaf.what);
    const double elements = access != nullptr && reads(*access, inner) ? num_inner : 1;
    bytes += access != nullptr ? elements * static_cast<double>(size_of(leaf.dtype)) : 0;
  }
  return bytes;
}

/// Returns the part of the rows that belong to the groups of a call, if all groups are equally
/// large.
double part_of_rows(const expr::TileProgram& program, const GroupedProgram& grouped,
                    const CallShape& shape) {
  double part = 1;
  for (const RowGroup& group : grouped.groups) {
    const auto label = static_cast<size_t>(group.label);
    part *= static_cast<double>(shape.ranges[label].length) /
            static_cast<double>(std::max<int64_t>(program.labels[label].extent, 1));
  }
  return part;
}

Cost cost_of(const expr::TileProgram& program, const GroupedRows& kernel, const CallShape& shape,
             const Context& context) {
  const KernelRates& rates = context.machine.rates;
  const GroupedProgram& grouped = kernel.program();
  const expr::TileStatement& statement = program.statements[0];
  const double rows = num_positions(grouped.rows, shape);
  const double merged = rows * part_of_rows(program, grouped, shape);
  const double num_inner = grouped.inner ? num_positions({*grouped.inner}, shape) : 1;
  const double points = merged * num_inner;
  const auto states = static_cast<double>(statement.bodies.size());
  Cost cost;
  double seconds = 0;
  for (const LeafExpressions& stage : grouped.stages) {
    cost.flops += rows * num_calls_in(stage);
    cost.bytes += rows * bytes_of(stage, grouped.inner, num_inner);
    seconds += rows * (is_stored_number(stage) ? kStoredStageSeconds : seconds_of(stage, context));
  }
  double result_bytes = 0;
  for (const expr::Scalar& body : statement.bodies) {
    result_bytes += static_cast<double>(size_of(body.dtype()));
  }
  cost.flops += points * (num_calls_in(grouped.values) + states);
  cost.bytes += merged * bytes_of(grouped.values, grouped.inner, num_inner) +
                num_positions(statement.out, shape) * result_bytes;
  const double all_results = num_positions(statement.out, shape) * result_bytes;
  if (kernel.merges_as_stored() && num_inner == 1) {
    seconds += merged * states * stored_merge_seconds(all_results, context.machine);
    cost.seconds =
        rates.call_seconds + overlapped_seconds(seconds, cost.bytes / rates.bytes_per_second);
    return cost;
  }
  // Results that do not stay in the cache are read and written for every row.
  const double merged_bytes = 2 * points * result_bytes;
  const bool are_far_rows =
      grouped.inner && all_results > static_cast<double>(context.machine.caches.core_bytes);
  seconds += merged_bytes / (are_far_rows ? rates.bytes_per_second : rates.cached_bytes_per_second);
  const double computed = kernel.merges_as_stored() ? 0 : seconds_of(grouped.values, context);
  seconds +=
      rows * rates.grouped_row_seconds + points * (computed + states / rates.steps_per_second);
  seconds += merged * states *
             merge_seconds(num_inner * result_bytes / states, all_results, context.machine);
  cost.seconds = rates.call_seconds + seconds + cost.bytes / rates.bytes_per_second;
  return cost;
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  if (std::optional<Refusal> refusal = too_many_labels(program.labels.size())) {
    return std::move(*refusal);
  }
  OrRefusal<GroupedProgram> grouped = grouped_program_of(program);
  if (!grouped) {
    return grouped.refusal();
  }
  const auto rows =
      GroupedRows::compile(program.statements[0], std::move(*grouped), context.machine.isa);
  if (!rows) {
    return rows.refusal();
  }
  return KernelPlan{cost_of(program, **rows, shape, context), (*rows)->workspace_bytes(),
                    [ready = *rows] { return ready; }};
}

}  // namespace

void register_kernel(Registry& registry) {
  Takes takes;
  takes.every_index = true;
  registry.add({"grouped", takes, &read});
}

}  // namespace tessera::kernels::kernel_grouped
