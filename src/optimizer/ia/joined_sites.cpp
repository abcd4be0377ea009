#include "optimizer/ia/joined_sites.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "ir/tra/presence.h"

namespace tessera::optimizer {

using KeySpace = std::vector<tra::KeyDim>;

namespace {

/// Collects the sites of every tuple's number, ascending and distinct; any site for a number
/// without one.
ia::SiteSets in_sets(const std::vector<int32_t>& sites, const std::vector<int64_t>& tuples,
                     size_t num_tuples, int64_t num_sites) {
  std::vector<size_t> end(num_tuples, 0);  // end of each tuple's sites, in turn
  for (const int64_t tuple : tuples) {
    ++end[static_cast<size_t>(tuple)];
  }
  std::exclusive_scan(end.begin(), end.end(), end.begin(), size_t{0});
  std::vector<int32_t> by_tuple(sites.size());
  for (size_t number = 0; number < sites.size(); ++number) {
    by_tuple[end[static_cast<size_t>(tuples[number])]++] = sites[number];
  }
  ia::SiteSets sets;
  for (size_t tuple = 0, begin = 0; tuple < num_tuples; begin = end[tuple++]) {
    const std::span<int32_t> own = std::span(by_tuple).subspan(begin, end[tuple] - begin);
    std::sort(own.begin(), own.end());
    const auto last = std::unique(own.begin(), own.end());
    const auto any = static_cast<int32_t>(static_cast<int64_t>(tuple) % num_sites);
    sets.add(own.empty() ? std::span(&any, 1) : std::span<const int32_t>(own.begin(), last));
  }
  return sets;
}

}  // namespace

std::optional<ia::ByMap> by_dims(ia::ByMap map, const KeySpace& key,
                                 const std::vector<std::string>& match) {
  for (ia::SiteTerm& term : map.terms) {
    const auto dim = std::find(match.begin(), match.end(), term.label);
    if (dim == match.end()) {
      return std::nullopt;
    }
    term.label = tra::label_of(key[static_cast<size_t>(dim - match.begin())]);
  }
  return map;
}

ia::ByMap by_labels(ia::ByMap map, const KeySpace& key, const std::vector<std::string>& match) {
  for (ia::SiteTerm& term : map.terms) {
    term.label = match[static_cast<size_t>(tra::find_key_dim(key, term.label))];
  }
  return map;
}

ia::SiteSets sites_met(const ia::ByMap& at, const KeySpace& joined, const KeySpace& key,
                       const std::vector<std::string>& match, int64_t num_sites) {
  KeySpace meeting;  // the dimensions of the map
  for (const tra::KeyDim& dim : joined) {
    const std::string& label = tra::label_of(dim);
    const bool is_sent = std::any_of(at.terms.begin(), at.terms.end(),
                                     [&](const auto& term) { return term.label == label; });
    if (is_sent || std::find(match.begin(), match.end(), label) != match.end()) {
      meeting.push_back(dim);
    }
  }
  std::vector<int> dims;
  for (const std::string& label : match) {
    dims.push_back(tra::find_key_dim(meeting, label));
  }
  return in_sets(ia::sites_of(at, meeting, num_sites), tra::matched_numbers(meeting, dims, key),
                 static_cast<size_t>(tra::num_keys(key)), num_sites);
}

ia::ByTable one_of(const ia::SiteSets& sets) {
  std::vector<int32_t> sites;
  for (size_t key = 0; key < sets.num_keys(); ++key) {
    const std::span<const int32_t> wanted = sets.of(key);
    sites.push_back(wanted[key % wanted.size()]);
  }
  return {std::move(sites)};
}

}  // namespace tessera::optimizer
