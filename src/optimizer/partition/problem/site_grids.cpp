#include "optimizer/partition/problem/site_grids.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "optimizer/partition/model/cost.h"
#include "optimizer/partition/problem/viable.h"

namespace tessera::optimizer::partition {

namespace {

/// The most grids that are considered: all of 64 sites along five labels.
constexpr int64_t kMostGrids = 256;

double bytes_of(const Operand& operand) {
  double bytes = static_cast<double>(operand.element_bytes);
  for (const int64_t extent : operand.shape) {
    bytes *= static_cast<double>(extent);
  }
  return bytes;
}

/// Returns the product of the parts along labels for which `counts` is true.
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

double moved_of_operands(const StatementModel& statement, const std::vector<int64_t>& parts) {
  double bytes = 0;
  for (const Operand& operand : statement.operands) {
    const double copies =
        sites_along(parts, [&](int32_t label) { return !has(operand.labels, label); });
    bytes += bytes_of(operand) * (copies - 1);
  }
  return bytes;
}

double moved_of_partials(const StatementModel& statement, const std::vector<int64_t>& parts) {
  double result = static_cast<double>(statement.out_bytes);
  for (const int32_t label : statement.out) {
    result *= static_cast<double>(statement.extents[static_cast<size_t>(label)]);
  }
  const double partials =
      sites_along(parts, [&](int32_t label) { return has(statement.over, label); });
  return result * (partials - 1);
}

}  // namespace

SiteGrids::SiteGrids(const StatementModel& statement, int64_t num_sites)
    : extents_(statement.extents), out_(statement.out), num_sites_(static_cast<double>(num_sites)) {
  std::vector<Cuttable> labels;
  for (size_t label = 0; label < statement.extents.size(); ++label) {
    labels.push_back({statement.extents[label], statement.whole[label]});
  }
  for (std::vector<int64_t>& parts :
       viable_vectors(labels, num_sites, labels_by_worth(statement), kMostGrids)) {
    const double operands = moved_of_operands(statement, parts);
    const double partials = moved_of_partials(statement, parts);
    grids_.push_back({std::move(parts), operands, partials});
  }
}

double SiteGrids::least_bytes(const std::vector<int64_t>& lengths) const {
  double result_tiles = 1;
  for (const int32_t label : out_) {
    const auto number = static_cast<size_t>(label);
    result_tiles *= static_cast<double>(num_pieces(extents_[number], lengths[number]));
  }
  const double unevenness = std::max(1.0, num_sites_ / result_tiles);
  std::optional<double> least;
  double most = 0;
  for (const Grid& grid : grids_) {
    const double bytes = grid.operand_bytes + unevenness * grid.partial_bytes;
    most = std::max(most, bytes);
    if (divides(grid, lengths)) {
      least = std::min(least.value_or(bytes), bytes);
    }
  }
  return least.value_or(most);
}

bool SiteGrids::divides(const Grid& grid, const std::vector<int64_t>& lengths) const {
  for (size_t label = 0; label < lengths.size(); ++label) {
    if (num_pieces(extents_[label], lengths[label]) % grid.parts[label] != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace tessera::optimizer::partition
