#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "placement/two_phase/site_rows.h"

namespace tessera::placement::two_phase {

/// Lists of numbers, one after the other in one array.
class Lists {
 public:
  /// Adds an empty list, to which append() adds.
  void add_list() { first_.push_back(items_.size()); }
  void append(int32_t item) {
    items_.push_back(item);
    ++first_.back();
  }
  void reserve(size_t num_lists, size_t num_items) {
    first_.reserve(num_lists + 1);
    items_.reserve(num_items);
  }

  size_t size() const { return first_.size() - 1; }
  size_t num_items() const { return items_.size(); }
  std::span<const int32_t> operator[](size_t list) const {
    return std::span(items_).subspan(first_[list], first_[list + 1] - first_[list]);
  }

 private:
  std::vector<size_t> first_ = {0};
  std::vector<int32_t> items_;
};

/// Returns a list for every group: the numbers of its members, ascending.
Lists grouped(const std::vector<int32_t>& group_of, size_t num_groups);

/// The planning problem of an aggregated join tree (Two-phase §5): input tuples, the join groups
/// made of them, the aggregation groups that these are merged into, and all costs. Costs are whole
/// numbers of one unit, so that sums are exact and ties are ties.
struct Problem {
  int32_t num_sites = 1;

  std::vector<int64_t> send_cost;  // t_F: to bring a tuple to a site that lacks it
  SiteRows sites;                  // of a tuple at first; none: it lies where it is needed first

  Lists tuples;                      // of every join group, none twice
  std::vector<int64_t> join_cost;    // t_pi, by join group
  std::vector<int64_t> result_cost;  // t_g, by join group: to bring its result elsewhere

  /// The join groups of every aggregation group. Each is in one; if nothing is merged (`merges` is
  /// false), in one of its own, on the same site.
  Lists joins;
  std::vector<int64_t> merge_cost;  // t_sigma, by aggregation group
  bool merges = true;

  /// The grid of join groups, if known: the extents of their key's dimensions, and as many numbers
  /// for every join group.
  std::vector<int32_t> extents;
  std::vector<int32_t> coordinates;

  /// The keys of a hash join and a hash aggregation: numbers that are equal for join groups of
  /// equal joined keys, and for equal group keys.
  std::vector<int64_t> join_key;
  std::vector<int64_t> group_key;

  size_t num_tuples() const { return send_cost.size(); }
  size_t num_joins() const { return join_cost.size(); }
  size_t num_groups() const { return merge_cost.size(); }
};

inline constexpr int32_t kUnassigned = -1;

/// The sites of join groups and aggregation groups (X and Y of the paper), and of tuples that lie
/// where they are needed first; kUnassigned for other tuples.
struct Plan {
  std::vector<int32_t> join_site;
  std::vector<int32_t> group_site;
  std::vector<int32_t> home;
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// The cost of a plan: the time of every stage on its busiest site, and the bytes that all sites
/// receive.
struct Cost {
  int64_t send = 0;     // max T_F
  int64_t join = 0;     // max T_pi
  int64_t collect = 0;  // max T_g
  int64_t merge = 0;    // max T_sigma
  int64_t moved = 0;    // sums of T_F and T_g over all sites

  /// Equation (1) of the paper.
  int64_t total() const { return send + join + collect + merge; }
  friend bool operator==(const Cost&, const Cost&) = default;
};

/// True if a plan is better than another: it costs less, or as much and moves less.
inline bool is_cheaper(const Cost& a, const Cost& b) {
  return std::pair(a.total(), a.moved) < std::pair(b.total(), b.moved);
}

/// Computes a cost from the definition. Unassigned groups cost nothing yet.
Cost cost_of(const Problem& problem, const Plan& plan);

}  // namespace tessera::placement::two_phase
