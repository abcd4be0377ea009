#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/shared.h"
#include "ir/tra/keys.h"

namespace tessera::ia {

/// A copy of every tuple on every site (TRA §4: All(R)). On one site all relations lie so.
struct Everywhere {
  friend bool operator==(const Everywhere&, const Everywhere&) = default;
};

/// The contribution of one key dimension to the number of a site: stride * (key / block % cycle); a
/// cycle of 0 has no end.
struct SiteTerm {
  std::string label;
  int64_t stride = 1;
  int64_t block = 1;
  int64_t cycle = 0;
  friend bool operator==(const SiteTerm&, const SiteTerm&) = default;
};

/// One copy of every tuple, on a site computed from its key: the sum of the terms modulo the number
/// of sites. Tuples that agree on the labels of the terms share a site (TRA §4: Part_D(R)). Cyclic
/// and block-cyclic distributions over any grid of sites are such maps.
///
/// It is a value, not the number of a map in some graph, so that graphs that are tried beside each
/// other compare their placements.
struct ByMap {
  std::vector<SiteTerm> terms;
  friend bool operator==(const ByMap&, const ByMap&) = default;
};

/// The site of a key that no tuple has.
constexpr int32_t kNowhere = -1;

/// One copy of every tuple, on the site listed for its key, in row-major order of the keys.
struct ByTable {
  Shared<std::vector<int32_t>> sites;
  friend bool operator==(const ByTable&, const ByTable&) = default;
};

/// A set of sites for every key, in row-major order of the keys, in one array.
class SiteSets {
 public:
  /// Adds the sites of the next key: ascending, none twice; none if no tuple has the key.
  void add(std::span<const int32_t> sites);

  size_t num_keys() const { return first_.size() - 1; }
  size_t num_copies() const { return sites_.size(); }  // of all tuples
  std::span<const int32_t> of(size_t key) const;
  friend bool operator==(const SiteSets&, const SiteSets&) = default;

 private:
  std::vector<size_t> first_ = {0};  // beginnings of every key's sites, and the end of the last
  std::vector<int32_t> sites_;
};

/// A copy of every tuple on each of the sites listed for its key: on some sites, while Everywhere
/// is on all. `copied` makes it.
struct ByCopies {
  Shared<SiteSets> sites;
  friend bool operator==(const ByCopies&, const ByCopies&) = default;
};

/// A placement that is chosen later, when the tuples are known (the two-phase paper).
struct Undecided {
  friend bool operator==(const Undecided&, const Undecided&) = default;
};

/// The sites of a relation's tuples.
using Placement = std::variant<Everywhere, ByMap, ByTable, ByCopies, Undecided>;

/// Hashes a placement; equal placements have equal hashes.
size_t hash_of(const Placement& placement);

/// True if a copy of every tuple is on every site.
bool is_everywhere(const Placement& placement);
bool is_undecided(const Placement& placement);
/// True if a tuple may be on several sites, and need not be on all.
bool is_by_copies(const Placement& placement);
/// True if every tuple is on one site, which is known before a run: by a map or a table.
bool is_one_copy(const Placement& placement);
/// Returns the map by which tuples lie; null if there is none.
const ByMap* map_of(const Placement& placement);

/// Returns the simplest placement with copies on these sites: a table if no key has two, everywhere
/// if every key has all.
Placement copied(SiteSets sites, int64_t num_sites);

/// Returns sites in turn for the tuples of a key, counted in row-major order over the dimensions
/// `dims`. REQUIRES labels of the key.
ByMap in_turn(const std::vector<std::string>& dims, const std::vector<tra::KeyDim>& key,
              int64_t num_sites);

/// Returns the map with the fewest terms: none without effect for this key, one for each of equal
/// kind, in the order of the key.
ByMap simplified(const ByMap& map, const std::vector<tra::KeyDim>& key, int64_t num_sites);

/// Returns the map that gives the keys these sites in row-major order, or their table. There is a
/// map if blocks of one length along each dimension are counted off, with the first tuple on site
/// 0.
Placement map_or_table(std::vector<int32_t> sites, const std::vector<tra::KeyDim>& key,
                       int64_t num_sites);

/// Returns the site of every key in row-major order. REQUIRES is_one_copy, sound for this key.
/// Errors: `user` for more keys than tra::kMostTuples.
std::vector<int32_t> sites_of(const Placement& placement, const std::vector<tra::KeyDim>& key,
                              int64_t num_sites);

/// Returns the sites of every key, ascending. REQUIRES like sites_of, or a placement by copies.
SiteSets site_sets_of(const Placement& placement, const std::vector<tra::KeyDim>& key,
                      int64_t num_sites);

/// True if two placements put every tuple of a key on the same sites. REQUIRES sound placements.
bool lie_alike(const Placement& a, const Placement& b, const std::vector<tra::KeyDim>& key,
               int64_t num_sites);

/// Returns the errors in a placement of the tuples of a key: labels that are no dimensions, numbers
/// out of range, a table of the wrong size or with unordered copies.
std::vector<std::string> verify(const Placement& placement, const std::vector<tra::KeyDim>& key,
                                int64_t num_sites);

}  // namespace tessera::ia
