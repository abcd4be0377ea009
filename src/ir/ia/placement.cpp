#include "ir/ia/placement.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/overload.h"

namespace tessera::ia {

namespace {

/// The largest number in a map, so that sums of products with keys stay in 64 bits.
constexpr int64_t kLargestNumber = int64_t{1} << 31;

/// Counts the values of key / block.
int64_t num_blocks(int64_t num_keys, int64_t block) {
  return (num_keys + block - 1) / block;
}

/// Returns the term with the smallest numbers; its stride is 0 if it has no effect.
SiteTerm simplified(SiteTerm term, int64_t num_keys, int64_t num_sites) {
  const int64_t blocks = num_blocks(num_keys, term.block);
  if (term.cycle >= blocks) {
    term.cycle = 0;
  }
  term.stride = (term.stride % num_sites + num_sites) % num_sites;
  if (blocks <= 1 || term.cycle == 1) {
    term.stride = 0;
  }
  if (term.stride * term.cycle % num_sites == 0) {
    term.cycle = 0;  // a whole cycle adds a multiple of the number of sites
  }
  return term;
}

bool is_of_one_kind(const SiteTerm& a, const SiteTerm& b) {
  return a.label == b.label && a.block == b.block && a.cycle == b.cycle;
}

/// Returns the term of a map that the first keys along a dimension, `step` apart, suggest: the
/// length of the first block and the site of the second determine it, and the cycle if sites
/// repeat.
std::optional<SiteTerm> term_along(const std::vector<int32_t>& sites, size_t step,
                                   size_t num_keys) {
  size_t block = 1;
  while (block < num_keys && sites[block * step] == sites[0]) {
    ++block;
  }
  if (block == num_keys) {
    return std::nullopt;
  }
  SiteTerm term{"", sites[block * step], static_cast<int64_t>(block)};
  for (size_t key = 2 * block; key < num_keys && term.cycle == 0; key += block) {
    term.cycle = sites[key * step] == sites[0] ? static_cast<int64_t>(key / block) : 0;
  }
  return term;
}

std::vector<int32_t> sites_by_map(const ByMap& map, const std::vector<tra::KeyDim>& key,
                                  int64_t num_sites) {
  tra::all_keys(key);  // refuses more keys than a plan names
  std::vector<std::vector<int64_t>> added;
  for (const tra::KeyDim& dim : key) {
    added.emplace_back(static_cast<size_t>(tra::num_keys(dim)), 0);
  }
  for (const SiteTerm& term : map.terms) {
    const int64_t stride = (term.stride % num_sites + num_sites) % num_sites;
    std::vector<int64_t>& by_key = added[static_cast<size_t>(tra::find_key_dim(key, term.label))];
    for (size_t each = 0; each < by_key.size(); ++each) {
      const int64_t blocks = static_cast<int64_t>(each) / term.block;
      by_key[each] +=
          stride * ((term.cycle == 0 ? blocks : blocks % term.cycle) % num_sites) % num_sites;
    }
  }
  // A key adds less than num_sites a term, so few sums need a division.
  const std::vector<int64_t> sums = tra::sums_over_keys(added);
  std::vector<int32_t> sites(sums.size());
  std::transform(sums.begin(), sums.end(), sites.begin(), [&](int64_t sum) {
    return static_cast<int32_t>(sum < num_sites ? sum : sum % num_sites);
  });
  return sites;
}

std::vector<std::string> problems_of(const ByMap& map, const std::vector<tra::KeyDim>& key) {
  std::vector<std::string> problems;
  for (const SiteTerm& term : map.terms) {
    if (tra::find_key_dim(key, term.label) < 0) {
      problems.push_back(
          fmt::format("its placement is by {}, which is no key dimension", term.label));
    }
    const auto is_between = [](int64_t least, int64_t number) {
      return least <= number && number <= kLargestNumber;
    };
    if (!is_between(-kLargestNumber, term.stride) || !is_between(1, term.block) ||
        !is_between(0, term.cycle)) {
      problems.push_back(
          fmt::format("its placement by {} has a number that is out of range", term.label));
    }
  }
  return problems;
}

bool is_ascending(std::span<const int32_t> sites) {
  return std::adjacent_find(sites.begin(), sites.end(), std::greater_equal<>()) == sites.end();
}

std::vector<std::string> wrong_size(size_t num_named, const std::vector<tra::KeyDim>& key) {
  if (static_cast<int64_t>(num_named) == tra::num_keys(key)) {
    return {};
  }
  return {fmt::format("its placement names sites of {} tuples, but its key has {}", num_named,
                      tra::num_keys(key))};
}

std::string unknown_site(int32_t site, int64_t num_sites) {
  return fmt::format("its placement names site {}, but there are {}", site, num_sites);
}

std::vector<std::string> problems_of(const ByTable& table, const std::vector<tra::KeyDim>& key,
                                     int64_t num_sites) {
  const std::vector<int32_t>& sites = *table.sites;
  std::vector<std::string> problems = wrong_size(sites.size(), key);
  const auto unknown = std::find_if(sites.begin(), sites.end(), [&](int32_t site) {
    return site < kNowhere || site >= num_sites;
  });
  if (unknown != sites.end()) {
    problems.push_back(unknown_site(*unknown, num_sites));
  }
  return problems;
}

std::vector<std::string> problems_of(const ByCopies& copies, const std::vector<tra::KeyDim>& key,
                                     int64_t num_sites) {
  std::vector<std::string> problems = wrong_size(copies.sites->num_keys(), key);
  for (size_t number = 0; number < copies.sites->num_keys() && problems.empty(); ++number) {
    const std::span<const int32_t> sites = copies.sites->of(number);
    const auto unknown = std::find_if(sites.begin(), sites.end(),
                                      [&](int32_t site) { return site < 0 || site >= num_sites; });
    if (unknown != sites.end()) {
      problems.push_back(unknown_site(*unknown, num_sites));
    } else if (!is_ascending(sites)) {
      problems.push_back(
          fmt::format("its placement names sites of tuple {} that do not ascend", number));
    }
  }
  return problems;
}

}  // namespace

void SiteSets::add(std::span<const int32_t> sites) {
  sites_.insert(sites_.end(), sites.begin(), sites.end());
  first_.push_back(sites_.size());
}

std::span<const int32_t> SiteSets::of(size_t key) const {
  return std::span(sites_).subspan(first_[key], first_[key + 1] - first_[key]);
}

Placement copied(SiteSets sites, int64_t num_sites) {
  size_t least = static_cast<size_t>(num_sites);
  size_t most = 0;
  for (size_t key = 0; key < sites.num_keys(); ++key) {
    least = std::min(least, sites.of(key).size());
    most = std::max(most, sites.of(key).size());
  }
  if (most > 1) {
    return least == static_cast<size_t>(num_sites) ? Placement(Everywhere{})
                                                   : ByCopies{std::move(sites)};
  }
  std::vector<int32_t> table;
  for (size_t key = 0; key < sites.num_keys(); ++key) {
    table.push_back(sites.of(key).empty() ? kNowhere : sites.of(key).front());
  }
  return ByTable{std::move(table)};
}

ByMap in_turn(const std::vector<std::string>& dims, const std::vector<tra::KeyDim>& key,
              int64_t num_sites) {
  ByMap map;
  int64_t stride = 1;
  for (size_t dim = dims.size(); dim-- > 0;) {
    map.terms.push_back({dims[dim], stride});
    const auto place = static_cast<size_t>(tra::find_key_dim(key, dims[dim]));
    stride = stride * (tra::num_keys(key[place]) % num_sites) % num_sites;
  }
  return simplified(map, key, num_sites);
}

ByMap simplified(const ByMap& map, const std::vector<tra::KeyDim>& key, int64_t num_sites) {
  std::vector<SiteTerm> terms;
  for (const tra::KeyDim& dim : key) {
    const size_t first = terms.size();
    for (const SiteTerm& given : map.terms) {
      if (given.label != tra::label_of(dim)) {
        continue;
      }
      const SiteTerm term = simplified(given, tra::num_keys(dim), num_sites);
      const auto known =
          std::find_if(terms.begin() + static_cast<std::ptrdiff_t>(first), terms.end(),
                       [&](const SiteTerm& other) { return is_of_one_kind(term, other); });
      if (known == terms.end()) {
        terms.push_back(term);
      } else {
        known->stride = (known->stride + term.stride) % num_sites;
      }
    }
    std::sort(terms.begin() + static_cast<std::ptrdiff_t>(first), terms.end(),
              [](const SiteTerm& a, const SiteTerm& b) {
                return std::pair(a.block, a.cycle) < std::pair(b.block, b.cycle);
              });
  }
  std::erase_if(terms, [](const SiteTerm& term) { return term.stride == 0; });
  return {std::move(terms)};
}

Placement map_or_table(std::vector<int32_t> sites, const std::vector<tra::KeyDim>& key,
                       int64_t num_sites) {
  ByMap map;
  size_t step = 1;
  for (size_t dim = key.size(); dim-- > 0 && !sites.empty();) {
    const auto num_keys = static_cast<size_t>(tra::num_keys(key[dim]));
    const std::optional<SiteTerm> term = term_along(sites, step, num_keys);
    if (term) {
      map.terms.push_back(*term);
      map.terms.back().label = tra::label_of(key[dim]);
    }
    step *= num_keys;
  }
  map = simplified(map, key, num_sites);
  return sites_of(map, key, num_sites) == sites ? Placement(std::move(map))
                                                : ByTable{std::move(sites)};
}

size_t hash_of(const Placement& placement) {
  struct Hasher {
    size_t hash;
    void mix(size_t value) { hash = (hash ^ value) * size_t{0x100000001b3}; }
    void mix_all(std::span<const int32_t> sites) {
      for (const int32_t site : sites) {
        mix(static_cast<size_t>(site));
      }
    }
    void operator()(const Everywhere&) {}
    void operator()(const ByMap& map) {
      for (const SiteTerm& term : map.terms) {
        mix(std::hash<std::string>()(term.label));
        mix(static_cast<size_t>(term.stride));
        mix(static_cast<size_t>(term.block));
        mix(static_cast<size_t>(term.cycle));
      }
    }
    void operator()(const ByTable& table) { mix_all(*table.sites); }
    void operator()(const ByCopies& copies) {
      for (size_t key = 0; key < copies.sites->num_keys(); ++key) {
        mix(copies.sites->of(key).size());
        mix_all(copies.sites->of(key));
      }
    }
    void operator()(const Undecided&) {}
  };
  Hasher hasher{placement.index()};
  std::visit(hasher, placement);
  return hasher.hash;
}

bool is_everywhere(const Placement& placement) {
  return std::visit(
      Overload{[](const Everywhere&) { return true; }, [](const ByMap&) { return false; },
               [](const ByTable&) { return false; }, [](const ByCopies&) { return false; },
               [](const Undecided&) { return false; }},
      placement);
}

bool is_undecided(const Placement& placement) {
  return std::visit(
      Overload{[](const Everywhere&) { return false; }, [](const ByMap&) { return false; },
               [](const ByTable&) { return false; }, [](const ByCopies&) { return false; },
               [](const Undecided&) { return true; }},
      placement);
}

bool is_by_copies(const Placement& placement) {
  return std::visit(
      Overload{[](const Everywhere&) { return false; }, [](const ByMap&) { return false; },
               [](const ByTable&) { return false; }, [](const ByCopies&) { return true; },
               [](const Undecided&) { return false; }},
      placement);
}

bool is_one_copy(const Placement& placement) {
  return std::visit(
      Overload{[](const Everywhere&) { return false; }, [](const ByMap&) { return true; },
               [](const ByTable&) { return true; }, [](const ByCopies&) { return false; },
               [](const Undecided&) { return false; }},
      placement);
}

const ByMap* map_of(const Placement& placement) {
  using Found = const ByMap*;
  return std::visit(Overload{[](const Everywhere&) -> Found { return nullptr; },
                             [](const ByMap& map) -> Found { return &map; },
                             [](const ByTable&) -> Found { return nullptr; },
                             [](const ByCopies&) -> Found { return nullptr; },
                             [](const Undecided&) -> Found { return nullptr; }},
                    placement);
}

std::vector<int32_t> sites_of(const Placement& placement, const std::vector<tra::KeyDim>& key,
                              int64_t num_sites) {
  using Sites = std::vector<int32_t>;
  return std::visit(Overload{[](const Everywhere&) -> Sites {
                               throw_error(ErrorKind::internal,
                                           "tuples that are everywhere are on no one site");
                             },
                             [&](const ByMap& map) { return sites_by_map(map, key, num_sites); },
                             [](const ByTable& table) { return *table.sites; },
                             [](const ByCopies&) -> Sites {
                               throw_error(ErrorKind::internal,
                                           "tuples of which there are copies are on no one site");
                             },
                             [](const Undecided&) -> Sites {
                               throw_error(ErrorKind::internal, "no site is chosen yet");
                             }},
                    placement);
}

SiteSets site_sets_of(const Placement& placement, const std::vector<tra::KeyDim>& key,
                      int64_t num_sites) {
  if (const auto* copies = std::get_if<ByCopies>(&placement)) {
    return *copies->sites;
  }
  SiteSets sets;
  for (const int32_t site : sites_of(placement, key, num_sites)) {
    sets.add(std::span(&site, site == kNowhere ? 0 : 1));
  }
  return sets;
}

bool lie_alike(const Placement& a, const Placement& b, const std::vector<tra::KeyDim>& key,
               int64_t num_sites) {
  if (!is_one_copy(a) || !is_one_copy(b)) {
    return a == b;
  }
  const ByMap* left = map_of(a);
  const ByMap* right = map_of(b);
  if (left != nullptr && right != nullptr &&
      simplified(*left, key, num_sites) == simplified(*right, key, num_sites)) {
    return true;
  }
  return tra::num_keys(key) <= tra::kMostTuples &&
         sites_of(a, key, num_sites) == sites_of(b, key, num_sites);
}

std::vector<std::string> verify(const Placement& placement, const std::vector<tra::KeyDim>& key,
                                int64_t num_sites) {
  struct Verifier {
    const std::vector<tra::KeyDim>& key;
    int64_t num_sites;
    std::vector<std::string> operator()(const Everywhere&) const { return {}; }
    std::vector<std::string> operator()(const ByMap& map) const { return problems_of(map, key); }
    std::vector<std::string> operator()(const ByTable& table) const {
      return problems_of(table, key, num_sites);
    }
    std::vector<std::string> operator()(const ByCopies& copies) const {
      return problems_of(copies, key, num_sites);
    }
    std::vector<std::string> operator()(const Undecided&) const { return {}; }
  };
  return std::visit(Verifier{key, num_sites}, placement);
}

}  // namespace tessera::ia
