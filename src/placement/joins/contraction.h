#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/ia/placement.h"
#include "ir/tra/graph.h"

namespace tessera::placement::joins {

/// An operand of a join, with what its placement depends on.
struct Operand {
  double bytes = 0;                 // of all its tuples
  std::vector<std::string> labels;  // of the join, by dimension of its key
  /// The placement of its tuples, by labels of the join; nothing if it is no such map, and for an
  /// input of the program, which every site can read.
  std::optional<ia::ByMap> lies = std::nullopt;
  bool is_everywhere = false;
  bool is_input = false;

  bool has(const std::string& label) const;
  /// True if its keys determine the site of each tuple under a map by labels of the join.
  bool has_all(const ia::ByMap& map) const;
};

/// A join of several relations whose tuples do not lie together.
struct Contraction {
  std::vector<Operand> operands;
  std::vector<tra::KeyDim> key;  // of the join
  std::set<std::string> summed;  // labels of the key that the next aggregate sums over
  double result_bytes = 0;       // of the result after that sum
  int64_t num_sites = 1;

  int64_t num_keys(const std::string& label) const;
  /// Returns the labels that have several keys, in the order of the key.
  std::vector<std::string> cut_labels() const;
};

/// A policy's sites of a join, by labels of its key; nothing for a join outside of the policy,
/// which is then computed at its largest operand.
using SitesOf = std::function<std::optional<ia::ByMap>(const Contraction&)>;

/// A policy for the placement of whole joins.
struct Policy {
  std::string planner;  // its name, for messages
  SitesOf sites_of;
  /// Sums of too few tuples to be spread that are read again are merged on every site.
  bool merges_everywhere = false;
  /// Returns the labels that the planner lays a grid of sites along; null if it lays out no grid.
  std::function<std::vector<std::string>(const Contraction&)> grid_labels = nullptr;
};

/// Adds notes on the sites that a policy gives a join: if some get nothing, and if they are a line
/// although the policy has several labels to lay a grid out along.
void note_sites(const Policy& policy, const Contraction& contraction, const ia::ByMap& sites,
                const std::string& statement, std::vector<std::string>& notes);

/// Makes runs of keys of one label of equal length that share a site.
ia::ByMap in_runs(const Contraction& contraction, const std::string& label);

/// Returns the bytes that come from other sites if a join is computed by a map: operands placed
/// otherwise, and one copy for every site that needs it of operands that lack some of its labels.
double bytes_brought(const Contraction& contraction, const ia::ByMap& at);

}  // namespace tessera::placement::joins
