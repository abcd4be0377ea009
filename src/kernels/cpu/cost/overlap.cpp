#include "kernels/cpu/cost/overlap.h"

#include <algorithm>

namespace tessera::kernels {

namespace {

/// The share of the shorter one that is hidden behind the longer. The rest is the beginning and end
/// of loops, so that of two memory-bound calls the one that computes less is the cheaper.
constexpr double kHidden = 0.8;

}  // namespace

double overlapped_seconds(double computing, double moving) {
  return computing + moving - kHidden * std::min(computing, moving);
}

Cost overlapping_cost(double flops, double bytes, double computing, const KernelRates& rates) {
  const double moving = bytes / rates.bytes_per_second;
  const double seconds = overlapped_seconds(computing, moving);
  return {flops, bytes, seconds, computing + moving - seconds};
}

double computing_seconds(const Cost& cost, const KernelRates& rates) {
  return cost.seconds + cost.hidden_seconds - cost.bytes / rates.bytes_per_second;
}

}  // namespace tessera::kernels
