#include "kernels/cpu/fused/plan.h"

#include <algorithm>
#include <utility>

#include "kernels/cpu/fused/cost.h"
#include "kernels/cpu/fused/part_kernels.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

namespace {

/// The chosen bands, with their predicted cost.
struct Bands {
  Outline outline;
  BandLengths lengths;
  Cost cost;
};

/// Returns the bands with the least predicted time; the last refusal if there are none.
OrRefusal<Bands> cheapest_bands(const expr::TileProgram& program, const CallShape& shape,
                                const std::vector<StatementPart>& parts, PartKernels& kernels,
                                const Machine& machine) {
  std::optional<Bands> best;
  Refusal refusal;
  for (const BandLabels& labels : band_label_choices(program, parts)) {
    const Outline outline = outline_of(program, shape, parts, labels);
    for (BandLengths& lengths : candidate_lengths(outline, machine.caches.core_bytes)) {
      const OrRefusal<Cost> cost = fused_cost(outline, lengths, kernels, machine);
      if (!cost) {
        refusal = cost.refusal();
      } else if (!best || cost->seconds < best->cost.seconds) {
        best.emplace(Bands{outline, std::move(lengths), *cost});
      }
    }
  }
  return best ? OrRefusal<Bands>(std::move(*best)) : std::move(refusal);
}

/// Returns the ranges of the last band if it is shorter than the others.
std::optional<std::vector<LabelRange>> last_band(const Outline& outline,
                                                 const BandLengths& lengths) {
  std::vector<LabelRange> ranges = outline.shape.ranges;
  bool is_shorter = false;
  for (size_t label = 0; label < ranges.size(); ++label) {
    const int64_t length = lengths[label];
    const int64_t rest = length == 0 ? 0 : ranges[label].length % length;
    ranges[label].length = rest == 0 ? length : rest;
    is_shorter = is_shorter || rest != 0;
  }
  return is_shorter ? std::optional(std::move(ranges)) : std::nullopt;
}

/// Returns the kernels of all statements, for bands of the chosen length and for the last.
OrRefusal<std::vector<FusedStatement>> statements_of(const Bands& bands, PartKernels& kernels) {
  const Outline& outline = bands.outline;
  const std::optional<std::vector<LabelRange>> last = last_band(outline, bands.lengths);
  std::vector<FusedStatement> statements;
  for (int number = 0; number <= outline.last(); ++number) {
    const bool per_band = outline.runs_per_band(number);
    const OrRefusal<KernelPlan>& full =
        kernels.plan(number, ranges_of(outline, bands.lengths, per_band));
    statements.push_back({outline.parts[static_cast<size_t>(number)], *full});
    if (last && per_band) {
      const OrRefusal<KernelPlan>& shorter = kernels.plan(number, *last);
      if (!shorter) {
        return shorter.refusal();
      }
      statements.back().shorter = *shorter;
    }
  }
  return statements;
}

}  // namespace

int64_t FusedPlan::workspace_bytes() const {
  return aligned_bytes(results.bytes) + statement_bytes;
}

OrRefusal<FusedPlan> plan_fused(const expr::TileProgram& program, const CallShape& shape,
                                const Context& context) {
  const std::vector<StatementPart> parts = split_statements(program);
  OrRefusal<PartKernels> kernels = PartKernels::choose(parts, shape, context);
  if (!kernels) {
    return kernels.refusal();
  }
  OrRefusal<Bands> best = cheapest_bands(program, shape, parts, *kernels, context.machine);
  if (!best) {
    return best.refusal();
  }
  OrRefusal<std::vector<FusedStatement>> statements = statements_of(*best, *kernels);
  if (!statements) {
    return statements.refusal();
  }
  FusedPlan plan;
  plan.is_output_dense = is_dense_in_output(best->outline, best->lengths);
  plan.results = place_results(best->outline, best->lengths, plan.is_output_dense);
  plan.statements = std::move(*statements);
  plan.bands = best->outline.bands;
  plan.lengths = std::move(best->lengths);
  plan.cost = best->cost;
  for (const FusedStatement& statement : plan.statements) {
    plan.statement_bytes = std::max(plan.statement_bytes, statement.kernel.workspace_bytes);
    if (statement.shorter) {
      plan.statement_bytes = std::max(plan.statement_bytes, statement.shorter->workspace_bytes);
    }
  }
  return plan;
}

}  // namespace tessera::kernels
