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

/// What one key dimension adds to the number of a site: stride * (key / block % cycle); a cycle of
/// 0 has no end.
struct SiteTerm {
  std::string label;
  int64_t stride = 1;
  int64_t block = 1;
  int64_t cycle = 0;
  friend bool operator==(const SiteTerm&, const SiteTerm&) = default;
};

/// One copy of every tuple, on a site that arithmetic on its key names: the sum of the terms modulo
/// the number of sites. Tuples that agree on the labels of the terms share a site (TRA §4:
/// Part_D(R)). Cyclic and block-cyclic distributions over any grid of sites are such maps.
///
/// It is a value, not a number of one that a graph holds, so that graphs that are tried beside each
/// other compare their placements.
struct ByMap {
  std::vector<SiteTerm> terms;
  friend bool operator==(const ByMap&, const ByMap&) = default;
};

/// Of a key that no tuple has.
constexpr int32_t kNowhere = -1;

/// One copy of every tuple, on the site that stands for its key, in row-major order of the keys.
struct ByTable {
  Shared<std::vector<int32_t>> sites;
  friend bool operator==(const ByTable&, const ByTable&) = default;
};

/// A set of sites for every key, in row-major order of the keys, in one array.
class SiteSets {
 public:
  /// Of the next key: ascending, none twice; none where no tuple has the key.
  void add(std::span<const int32_t> sites);

  size_t num_keys() const { return first_.size() - 1; }
  size_t num_copies() const { return sites_.size(); }  // of all tuples
  std::span<const int32_t> of(size_t key) const;
  friend bool operator==(const SiteSets&, const SiteSets&) = default;

 private:
  std::vector<size_t> first_ = {0};  // where the sites of every key begin, and where the last end
  std::vector<int32_t> sites_;
};

/// A copy of every tuple on each of the sites that stand for its key: some of them, where
/// Everywhere is all. `copied` makes it.
struct ByCopies {
  Shared<SiteSets> sites;
  friend bool operator==(const ByCopies&, const ByCopies&) = default;
};

/// Left to a placement that is chosen when the tuples are known (the two-phase paper).
struct Undecided {
  friend bool operator==(const Undecided&, const Undecided&) = default;
};

/// Which site has which tuples of a relation.
using Placement = std::variant<Everywhere, ByMap, ByTable, ByCopies, Undecided>;

/// Of equal placements equal.
size_t hash_of(const Placement& placement);

/// A copy of every tuple is on every site.
bool is_everywhere(const Placement& placement);
bool is_undecided(const Placement& placement);
/// A tuple may be on several sites, and need not be on all.
bool is_by_copies(const Placement& placement);
/// Every tuple is on one site, which is known before a run: by a map or a table.
bool is_one_copy(const Placement& placement);
/// The map by which tuples lie; null where there is none.
const ByMap* map_of(const Placement& placement);

/// The plainest placement that puts copies on these sites: a table where no key has two, everywhere
/// where every key has all.
Placement copied(SiteSets sites, int64_t num_sites);

/// Sites in turn for the tuples of a key, counted in row-major order over the dimensions `dims`.
/// REQUIRES labels of the key.
ByMap in_turn(const std::vector<std::string>& dims, const std::vector<tra::KeyDim>& key,
              int64_t num_sites);

/// The same map with the fewest terms: none that adds nothing for this key, one for each of equal
/// kind, in the order of the key.
ByMap simplified(const ByMap& map, const std::vector<tra::KeyDim>& key, int64_t num_sites);

/// The map that names these sites for the keys in row-major order, or the table of them: a map
/// where blocks of one length along each dimension are counted off, the first tuple being on site
/// 0.
Placement map_or_table(std::vector<int32_t> sites, const std::vector<tra::KeyDim>& key,
                       int64_t num_sites);

/// The site of every key in row-major order. REQUIRES is_one_copy, sound for this key. Errors:
/// `user` for more keys than tra::kMostTuples.
std::vector<int32_t> sites_of(const Placement& placement, const std::vector<tra::KeyDim>& key,
                              int64_t num_sites);

/// The same where a key may have several, ascending. REQUIRES as sites_of, or that it is by copies.
SiteSets site_sets_of(const Placement& placement, const std::vector<tra::KeyDim>& key,
                      int64_t num_sites);

/// Whether two placements put every tuple of a key on the same sites. REQUIRES sound placements.
bool lie_alike(const Placement& a, const Placement& b, const std::vector<tra::KeyDim>& key,
               int64_t num_sites);

/// What is wrong with a placement of the tuples of a key: labels that are no dimensions, numbers
/// that are out of range, a table of another size or of copies that are not in order.
std::vector<std::string> verify(const Placement& placement, const std::vector<tra::KeyDim>& key,
                                int64_t num_sites);

}  // namespace tessera::ia
