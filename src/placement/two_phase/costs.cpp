#include "placement/two_phase/costs.h"

#include <algorithm>
#include <cmath>

namespace tessera::placement::two_phase {

namespace {

constexpr double kUnitsPerSecond = 1e12;
/// The largest cost, also of unknown ones: a fifth of an hour, so that sums of all groups of a plan
/// stay in 64 bits.
constexpr double kMostSeconds = 1e3;

int64_t units(double seconds) {
  const double known = std::isfinite(seconds) ? std::min(seconds, kMostSeconds) : kMostSeconds;
  return std::llround(known * kUnitsPerSecond);
}

}  // namespace

double seconds_of(int64_t cost) {
  return static_cast<double>(cost) / kUnitsPerSecond;
}

int64_t GroupCosts::send(const tra::RelationType& type) const {
  return units(tra::tuple_bytes(type) / context_.machine.links.network.bytes_per_second);
}

StepCosts GroupCosts::of_calls(const Shared<expr::TileProgram>& kernel,
                               const std::vector<tra::KeyDim>& key, const tra::RelationType& type) {
  const double seconds = calls_.seconds(kernel, optimizer::largest_call(kernel, key));
  return {units(seconds / workers_), send(type), merge(type)};
}

int64_t GroupCosts::merge(const tra::RelationType& type) const {
  // Two tiles are read and one is written.
  const double bytes = 3 * tra::tuple_bytes(type);
  return units(bytes / context_.machine.rates.bytes_per_second / workers_);
}

}  // namespace tessera::placement::two_phase
