#include "kernels/cpu/fused/cost.h"

#include <algorithm>
#include <set>

#include "kernels/cpu/cost/overlap.h"
#include "kernels/cpu/walk/gemm_labels.h"

namespace tessera::kernels {

namespace {

/// The bytes of one run of a statement: those in the cache, and those that every band loads again.
struct Traffic {
  double cached = 0;
  double reloaded = 0;
};

std::vector<Traffic> traffic_of(const Outline& outline, const BandLengths& lengths) {
  std::vector<Traffic> traffic(outline.parts.size());
  std::set<int32_t> loaded;
  for_reads_of_bands(outline, [&](int number, const expr::Access& access, DType dtype) {
    const int maker = statement_of(outline.parts, access.operand);
    const bool is_handed_on = maker >= 0 && outline.runs_per_band(maker);
    const bool is_moved = moves_on(outline, lengths, access);
    const bool is_read_again =
        is_read_in_bands(outline, access) && !loaded.insert(access.operand).second;
    const auto bytes = static_cast<double>(bytes_of(outline, lengths, access, dtype, true));
    Traffic& of = traffic[static_cast<size_t>(number)];
    of.cached += is_handed_on || is_read_again ? bytes : 0;
    of.reloaded += is_moved || is_handed_on || is_read_again ? 0 : bytes;
  });
  for (const FusedResult& result : outline.results) {
    if (outline.runs_per_band(result.statement) && result.statement != outline.last()) {
      traffic[static_cast<size_t>(result.statement)].cached +=
          static_cast<double>(bytes_of(outline, lengths, result));
    }
  }
  return traffic;
}

/// Returns the part of a statement's predicted time that remains if some of its bytes are cached.
/// No statement is faster than its products in a gemm.
double seconds_within_bands(const Cost& alone, const Traffic& traffic, bool is_product,
                            const KernelRates& rates) {
  const double computing =
      std::max(computing_seconds(alone, rates), alone.flops / rates.gemm_flops_per_second_f32);
  const double moving = std::max(0.0, alone.bytes - traffic.cached) / rates.bytes_per_second +
                        traffic.cached / rates.cached_bytes_per_second;
  return overlapped_seconds(computing, moving) +
         (is_product ? traffic.reloaded / rates.reloaded_bytes_per_second : 0);
}

}  // namespace

OrRefusal<Cost> fused_cost(const Outline& outline, const BandLengths& lengths, PartKernels& kernels,
                           const Machine& machine) {
  const double bands = num_bands(outline, lengths);
  const bool stays_cached = working_bytes(outline, lengths) <= 2 * machine.caches.core_bytes;
  const std::vector<Traffic> traffic = traffic_of(outline, lengths);
  Cost cost{0, 0, machine.rates.fused_call_seconds};
  for (int number = 0; number <= outline.last(); ++number) {
    const bool per_band = outline.runs_per_band(number);
    const OrRefusal<KernelPlan>& plan = kernels.plan(number, ranges_of(outline, lengths, per_band));
    if (!plan) {
      return plan.refusal();
    }
    const Cost& alone = plan->cost;
    const double times = per_band ? bands : 1;
    const Traffic& of = traffic[static_cast<size_t>(number)];
    const bool is_product =
        bands > 1 && read_as_gemm(outline.parts[static_cast<size_t>(number)].program);
    cost.flops += times * alone.flops;
    cost.bytes += times * std::max(0.0, alone.bytes - (stays_cached ? of.cached : 0));
    cost.seconds += times * (per_band && stays_cached
                                 ? seconds_within_bands(alone, of, is_product, machine.rates)
                                 : alone.seconds);
  }
  return cost;
}

}  // namespace tessera::kernels
