#include "optimizer/partition/problem/fineness.h"

#include <algorithm>
#include <cmath>

#include "optimizer/partition/model/cost.h"

namespace tessera::optimizer::partition {

namespace {

/// More calls than this are made only if a bound on bytes requires them.
constexpr int64_t kMostCalls = 4096;
/// A statement is small if the largest one has this many times its work.
constexpr double kLittleWork = 64;

/// Applies `count` to a statement for one slice of every label; mostly nothing is sliced.
template <class Count>
double in_slice(const StatementModel& statement, Count count) {
  return is_sliced(statement) ? count(slice_of(statement)) : count(statement);
}

/// True if elements are grouped, that is, merged at computed positions of the result: these count
/// as less than an operation for a point.
bool is_grouped(const StatementModel& statement) {
  return statement.flops_per_point < 1;
}

/// Returns the number of calls whose tiles stay in the cache; 1 for a grouping, because every call
/// would look at all elements for its part of the result.
double calls_for_cache(const StatementModel& statement, const PartitionOptions& options) {
  return is_grouped(statement) ? 1 : std::ceil(in_slice(statement, [&](const auto& slice) {
    return calls_of_bytes(slice, static_cast<double>(options.machine.caches.shared_bytes));
  }));
}

/// Returns the calls that a statement would have by itself.
double wanted_calls(const StatementModel& statement, const PartitionOptions& options) {
  const int64_t workers = options.workers;
  const int64_t for_workers = workers == 1 ? 1 : workers * kCallsPerWorker;
  const double for_cache = calls_for_cache(statement, options);
  return std::min(affordable_calls(statement, options.machine.granularity),
                  std::max(static_cast<double>(for_workers), for_cache));
}

/// Rounds down to `sites` times a power of two, so that several sites have equal shares; keeps
/// `wanted` for one site, and if it is below `sites`.
int64_t for_some_workers(int64_t wanted, int64_t sites) {
  if (sites == 1 || wanted < sites) {
    return std::max<int64_t>(wanted, 1);
  }
  int64_t pieces = sites;
  while (2 * pieces <= wanted) {
    pieces *= 2;
  }
  return pieces;
}

/// Rounds up to workers * 2^k; below `workers`, serves some of them.
int64_t rounded_up(double wanted, int64_t workers, int64_t sites) {
  const auto least = static_cast<int64_t>(wanted);
  if (least < workers) {
    return for_some_workers(least, sites);
  }
  int64_t pieces = workers;
  while (pieces < least && pieces < kMostCalls) {
    pieces *= 2;
  }
  return pieces;
}

/// Counts the calls of a whole program whose statements have `pieces` pieces, or as many as they
/// have work for.
double calls_in_all(const Model& model, int64_t pieces, const Granularity& granularity) {
  double calls = 0;
  for (const StatementModel& statement : model.statements) {
    calls += std::min(affordable_calls(statement, granularity), static_cast<double>(pieces));
  }
  return calls;
}

}  // namespace

double affordable_calls(const StatementModel& statement, const Granularity& granularity) {
  return in_slice(statement, [&](const StatementModel& slice) {
    const double by_flops = num_flops(slice) / granularity.least_call_flops;
    const double by_bytes =
        calls_of_bytes(slice, static_cast<double>(granularity.least_call_bytes));
    return std::max(1.0, std::floor(std::max(by_flops, by_bytes)));
  });
}

int64_t fewest_calls(const StatementModel& statement, const Fineness& fineness) {
  const double affordable = affordable_calls(statement, fineness.granularity);
  if (affordable >= static_cast<double>(fineness.pieces)) {
    return fineness.pieces;
  }
  if (fineness.is_forced) {
    return affordable * kLittleWork < fineness.largest_affordable ? 1 : fineness.pieces;
  }
  return std::min(static_cast<int64_t>(affordable), fineness.workers);
}

Fineness fineness_of(const Model& model, const PartitionOptions& options) {
  Fineness fineness;
  fineness.is_forced = options.pieces.has_value();
  fineness.workers = options.workers;
  fineness.sites = options.sites;
  fineness.independent_tiles = options.sites == 1
                                   ? options.workers
                                   : std::max(options.sites, options.workers / options.sites);
  fineness.network = options.machine.links.network;
  if (options.has_files) {
    fineness.files = options.machine.files;
  }
  fineness.granularity = options.machine.granularity;
  fineness.most_call_bytes = static_cast<double>(options.most_tile_bytes.value_or(0));
  double wanted = 1;
  for (const StatementModel& statement : model.statements) {
    wanted = std::max(wanted, wanted_calls(statement, options));
    fineness.largest_affordable =
        std::max(fineness.largest_affordable, affordable_calls(statement, fineness.granularity));
  }
  fineness.pieces =
      options.pieces ? *options.pieces : rounded_up(wanted, options.workers, options.sites);
  const auto most_calls =
      static_cast<double>(options.most_calls.value_or(fineness.granularity.most_calls));
  while (!fineness.is_forced && fineness.pieces > options.workers * kCallsPerWorker &&
         calls_in_all(model, fineness.pieces, fineness.granularity) > most_calls) {
    fineness.pieces /= 2;
  }
  fineness.most_calls =
      std::min(static_cast<double>(kMostCalls),
               most_calls / static_cast<double>(std::max<size_t>(1, model.statements.size())));
  return fineness;
}

}  // namespace tessera::optimizer::partition
