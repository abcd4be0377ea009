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

/// What a join reads, as far as it matters where the join is made.
struct Operand {
  double bytes = 0;                 // of all its tuples
  std::vector<std::string> labels;  // of the join, by dimension of its key
  /// Where its tuples lie, by labels of the join; nothing where they lie otherwise, and for an
  /// input of the program, which every site can read.
  std::optional<ia::ByMap> lies = std::nullopt;
  bool is_everywhere = false;
  bool is_input = false;

  bool has(const std::string& label) const;
  /// Whether its keys say where a map by labels of the join sends it.
  bool has_all(const ia::ByMap& map) const;
};

/// A join of several relations whose tuples do not lie together.
struct Contraction {
  std::vector<Operand> operands;
  std::vector<tra::KeyDim> key;  // of the join
  std::set<std::string> summed;  // labels of the key that an aggregate sums over at once
  double result_bytes = 0;       // of what is left then
  int64_t num_sites = 1;

  int64_t num_keys(const std::string& label) const;
  /// The labels that have several keys, in the order of the key.
  std::vector<std::string> cut_labels() const;
};

/// The sites where a join is made, by labels of its key; nothing for a join that the policy is not
/// about, which is then made where the largest of what it reads lies.
using SitesOf = std::function<std::optional<ia::ByMap>(const Contraction&)>;

/// How whole joins are placed.
struct Policy {
  std::string planner;  // that has it, for what is said of the plan
  SitesOf sites_of;
  /// Sums that are too few tuples to be spread, and are read again, are merged on every site.
  bool merges_everywhere = false;
};

/// Runs of keys of one label that share a site, as long as each other.
ia::ByMap in_runs(const Contraction& contraction, const std::string& label);

/// The bytes that come from other sites where a join is made by a map: of operands that lie
/// otherwise, and those that have not all its labels once for every site that needs a copy.
double bytes_brought(const Contraction& contraction, const ia::ByMap& at);

}  // namespace tessera::placement::joins
