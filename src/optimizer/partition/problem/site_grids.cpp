#include "optimizer/partition/problem/site_grids.h"

#include <algorithm>

#include "optimizer/partition/model/cost.h"
#include "optimizer/partition/problem/viable.h"

namespace tessera::optimizer::partition {

namespace {

/// Grids that are looked at: all of 64 sites along five labels.
constexpr int64_t kMostGrids = 256;

double bytes_of(const Operand& operand) {
  double bytes = static_cast<double>(operand.element_bytes);
  for (const int64_t extent : operand.shape) {
    bytes *= static_cast<double>(extent);
  }
  return bytes;
}

/// The product of the parts along labels of which `counts` is true.
template <class Counts>
double sites_along(const std::vector<int64_t>& parts, Counts counts) {
  double sites = 1;
  for (size_t label = 0; label < parts.size(); ++label) {
    sites *= counts(static_cast<int32_t>(label)) ? static_cast<double>(parts[label]) : 1;
  }
  return sites;
}

bool has(const std::vector<int32_t>& labels, int32_t label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

double bytes_moved(const StatementModel& statement, const std::vector<int64_t>& parts) {
  double bytes = 0;
  for (const Operand& operand : statement.operands) {
    const double copies =
        sites_along(parts, [&](int32_t label) { return !has(operand.labels, label); });
    bytes += bytes_of(operand) * (copies - 1);
  }
  double result = static_cast<double>(statement.out_bytes);
  for (const int32_t label : statement.out) {
    result *= static_cast<double>(statement.extents[static_cast<size_t>(label)]);
  }
  const double partials =
      sites_along(parts, [&](int32_t label) { return has(statement.over, label); });
  return bytes + result * (partials - 1);
}

}  // namespace

SiteGrids::SiteGrids(const StatementModel& statement, int64_t num_sites)
    : extents_(statement.extents) {
  std::vector<Cuttable> labels;
  for (size_t label = 0; label < statement.extents.size(); ++label) {
    labels.push_back({statement.extents[label], statement.whole[label]});
  }
  for (std::vector<int64_t>& parts :
       viable_vectors(labels, num_sites, labels_by_worth(statement), kMostGrids)) {
    const double bytes = bytes_moved(statement, parts);
    grids_.push_back({std::move(parts), bytes});
  }
  std::stable_sort(grids_.begin(), grids_.end(),
                   [](const Grid& a, const Grid& b) { return a.bytes < b.bytes; });
}

double SiteGrids::least_bytes(const std::vector<int64_t>& lengths) const {
  const auto divides = [&](const Grid& grid) {
    for (size_t label = 0; label < lengths.size(); ++label) {
      if (num_pieces(extents_[label], lengths[label]) % grid.parts[label] != 0) {
        return false;
      }
    }
    return true;
  };
  const auto best = std::find_if(grids_.begin(), grids_.end(), divides);
  return best == grids_.end() ? grids_.back().bytes : best->bytes;
}

}  // namespace tessera::optimizer::partition
