#include "optimizer/partition/problem/cut_lengths.h"

#include <algorithm>
#include <utility>

#include "optimizer/partition/model/cost.h"
#include "optimizer/partition/problem/viable.h"

namespace tessera::optimizer::partition {

namespace {

/// The most vectors that are considered for a statement; fewer if it has many labels, because the
/// tables of its dependencies have a number for every pair.
constexpr size_t kMostVectors = 1024;
constexpr size_t kMostVectorsOfManyLabels = 256;
constexpr size_t kManyLabels = 8;
/// The most vectors that cut one label to single positions, by label.
constexpr size_t kMostOfSingles = 16;
/// The largest factor below the calls that keep tiles in the cache: beyond it, more would be held
/// at once for little.
constexpr int64_t kMostTimesFewer = 4;
/// The largest factor above the requested calls, if sites communicate less for it: for one worker
/// on each of 64 sites that is a tile of the result and a part of every sum for each.
constexpr int64_t kMostTimesMore = 16;

/// True if a statement only copies elements from files into files.
bool carries_files(const StatementModel& statement) {
  return statement.over.empty() && statement.num_files > 0 &&
         std::all_of(statement.operands.begin(), statement.operands.end(),
                     [](const Operand& operand) { return operand.producer == kPreplaced; });
}

/// Returns numbers of pieces above the requested one, if several sites divide them: each site
/// should have some of every merged sum, and there should be as many sums as sites.
std::vector<int64_t> more_products(const StatementModel& statement, const Fineness& fineness) {
  std::vector<int64_t> products;
  const double most =
      std::min(fineness.most_calls, affordable_calls(statement, fineness.granularity));
  const bool may_have_more = !fineness.is_forced && fineness.sites > 1 && !statement.over.empty();
  for (int64_t times = 2; may_have_more && times <= kMostTimesMore; times *= 2) {
    const int64_t product = fineness.pieces * times;
    if (static_cast<double>(product) <= most) {
      products.push_back(product);
    }
  }
  return products;
}

/// Cuts the elements of a grouping into one piece per worker if there are so many groups that
/// partial results of more pieces would cost too much.
std::vector<int64_t> products_of_groups(const StatementModel& statement, const Fineness& fineness) {
  constexpr double kFewPartials = 16;
  double results = 1;
  for (const int64_t extent : result_shape(statement)) {
    results *= static_cast<double>(extent);
  }
  const double partials = results * static_cast<double>(fineness.pieces);
  const bool count = partials * kFewPartials > num_grouped(statement);
  const bool are_fewer = fineness.pieces > fineness.workers && fineness.workers > 1;
  const bool has_groups = num_grouped(statement) > 0;
  return !fineness.is_forced && has_groups && count && are_fewer
             ? std::vector<int64_t>{fineness.workers}
             : std::vector<int64_t>{};
}

/// Returns the allowed numbers of pieces: exactly the requested one, any divisor from the fewest
/// on, and the exceptions above.
std::vector<int64_t> allowed_products(const StatementModel& statement, const Fineness& fineness) {
  std::vector<int64_t> products = {fineness.pieces};
  const int64_t fewest = fewest_calls(statement, fineness);
  for (const int64_t product : divisors_of(fineness.pieces)) {
    if (product >= fewest && product < fineness.pieces) {
      products.push_back(product);
    }
  }
  const std::vector<int64_t> fewer = fewer_products(statement, fineness);
  products.insert(products.end(), fewer.begin(), fewer.end());
  const std::vector<int64_t> of_groups = products_of_groups(statement, fineness);
  products.insert(products.end(), of_groups.begin(), of_groups.end());
  const std::vector<int64_t> more = more_products(statement, fineness);
  products.insert(products.end(), more.begin(), more.end());
  return products;
}

Lengths lengths_of(const StatementModel& slice, const std::vector<int64_t>& pieces) {
  Lengths lengths;
  for (size_t label = 0; label < pieces.size(); ++label) {
    const int64_t extent = std::max<int64_t>(slice.extents[label], 1);
    lengths.push_back((extent - 1) / pieces[label] + 1);
  }
  return lengths;
}

/// Cuts a short label to single positions if the bytes of a call are bounded: it may have 20
/// positions while 16 and 32 pieces are requested. A statement that reads all of another label, as
/// a gather does, may have no smaller tiles.
std::vector<Lengths> single_positions(const StatementModel& slice,
                                      const std::vector<Cuttable>& labels,
                                      const std::vector<int32_t>& order, const Fineness& fineness,
                                      size_t most) {
  std::vector<Lengths> all;
  for (size_t label = 0; fineness.most_call_bytes > 0 && label < labels.size(); ++label) {
    const int64_t extent = labels[label].extent;
    const bool is_short = extent > 1 && extent <= fineness.pieces;
    if (labels[label].whole || !is_short || fineness.pieces % extent == 0) {
      continue;
    }
    std::vector<Cuttable> others = labels;
    others[label].whole = true;
    for (std::vector<int64_t>& vector :
         viable_vectors(others, fineness.pieces / extent, order, static_cast<int64_t>(most))) {
      vector[label] = extent;
      all.push_back(lengths_of(slice, vector));
    }
  }
  return all;
}

}  // namespace

std::vector<int64_t> fewer_products(const StatementModel& statement, const Fineness& fineness) {
  std::vector<int64_t> products;
  const bool may_have_fewer = !fineness.is_forced && fineness.files && carries_files(statement) &&
                              fewest_calls(statement, fineness) == fineness.pieces;
  const int64_t fewest =
      std::max(fineness.workers * kCallsPerWorker, fineness.pieces / kMostTimesFewer);
  for (int64_t product = fineness.pieces / 2; may_have_fewer && product >= fewest; product /= 2) {
    products.push_back(product);
  }
  return products;
}

std::vector<Lengths> all_lengths(const StatementModel& statement, const Fineness& fineness) {
  const StatementModel slice = slice_of(statement);
  std::vector<Cuttable> labels;
  for (size_t label = 0; label < slice.extents.size(); ++label) {
    labels.push_back({slice.extents[label], slice.whole[label]});
  }
  const std::vector<int32_t> order = labels_by_worth(slice);
  const size_t most = labels.size() > kManyLabels ? kMostVectorsOfManyLabels : kMostVectors;
  std::vector<Lengths> all = single_positions(slice, labels, order, fineness, kMostOfSingles);
  for (const int64_t product : allowed_products(statement, fineness)) {
    if (all.size() >= most) {
      break;
    }
    for (const std::vector<int64_t>& vector :
         viable_vectors(labels, product, order, static_cast<int64_t>(most))) {
      all.push_back(lengths_of(slice, vector));
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace tessera::optimizer::partition
