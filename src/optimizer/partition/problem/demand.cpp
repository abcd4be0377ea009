#include "optimizer/partition/problem/demand.h"

#include <algorithm>
#include <cmath>

#include "optimizer/partition/model/cost.h"

namespace tessera::optimizer::partition {

namespace {

/// More calls than this are made only where a bound on bytes asks for them.
constexpr int64_t kMostCalls = 4096;
/// A statement with so much less work than the largest one is small beside it.
constexpr double kSmallBeside = 64;

/// The calls that a statement would have if it stood alone.
double wanted_calls(const Statement& statement, const PartitionOptions& options) {
  const int64_t workers = options.workers;
  const int64_t for_workers = workers == 1 ? 1 : workers * kCallsPerWorker;
  const double for_cache = std::ceil(calls_of_bytes(
      slice_of(statement), static_cast<double>(options.machine.caches.shared_bytes)));
  return std::min(affordable_calls(statement, options.machine.granularity),
                  std::max(static_cast<double>(for_workers), for_cache));
}

/// The least workers * 2^k that is not below `wanted`; `wanted` itself where it is below `workers`.
int64_t rounded_up(double wanted, int64_t workers) {
  const auto least = static_cast<int64_t>(wanted);
  if (least < workers) {
    return std::max<int64_t>(least, 1);
  }
  int64_t pieces = workers;
  while (pieces < least && pieces < kMostCalls) {
    pieces *= 2;
  }
  return pieces;
}

/// Calls of a whole program whose statements have so many pieces, or as many as they afford.
double calls_in_all(const Model& model, int64_t pieces, const Granularity& granularity) {
  double calls = 0;
  for (const Statement& statement : model.statements) {
    calls += std::min(affordable_calls(statement, granularity), static_cast<double>(pieces));
  }
  return calls;
}

}  // namespace

double affordable_calls(const Statement& statement, const Granularity& granularity) {
  const Statement slice = slice_of(statement);
  return std::max(
      1.0, std::floor(
               std::max(num_flops(slice) / granularity.least_call_flops,
                        calls_of_bytes(slice, static_cast<double>(granularity.least_call_bytes)))));
}

int64_t fewest_calls(const Statement& statement, const Demand& demand) {
  const double affordable = affordable_calls(statement, demand.granularity);
  if (affordable >= static_cast<double>(demand.pieces)) {
    return demand.pieces;
  }
  if (demand.is_forced) {
    return affordable * kSmallBeside < demand.largest_affordable ? 1 : demand.pieces;
  }
  return std::min(static_cast<int64_t>(affordable), demand.workers);
}

Demand demand_of(const Model& model, const PartitionOptions& options) {
  Demand demand;
  demand.is_forced = options.pieces.has_value();
  demand.workers = options.workers;
  demand.files = options.files;
  demand.granularity = options.machine.granularity;
  demand.most_call_bytes = static_cast<double>(options.most_tile_bytes.value_or(0));
  double wanted = 1;
  for (const Statement& statement : model.statements) {
    wanted = std::max(wanted, wanted_calls(statement, options));
    demand.largest_affordable =
        std::max(demand.largest_affordable, affordable_calls(statement, demand.granularity));
  }
  demand.pieces = options.pieces ? *options.pieces : rounded_up(wanted, options.workers);
  while (!demand.is_forced && demand.pieces > options.workers * kCallsPerWorker &&
         calls_in_all(model, demand.pieces, demand.granularity) >
             static_cast<double>(demand.granularity.most_calls)) {
    demand.pieces /= 2;
  }
  return demand;
}

}  // namespace tessera::optimizer::partition
