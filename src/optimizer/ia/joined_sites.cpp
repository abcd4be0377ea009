#include "optimizer/ia/joined_sites.h"

#include <algorithm>
#include <span>
#include <utility>

namespace tessera::optimizer {

using KeySpace = std::vector<tra::KeyDim>;

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
  KeySpace meeting;  // the dimensions that matter
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
  std::vector<std::vector<int32_t>> met(static_cast<size_t>(tra::num_keys(key)));
  const std::vector<int32_t> sites = ia::sites_of(at, meeting, num_sites);
  size_t number = 0;
  for (const tra::Key& each : tra::all_keys(meeting)) {
    tra::Key own;
    for (const int dim : dims) {
      own.push_back(dim < 0 ? 0 : each[static_cast<size_t>(dim)]);
    }
    met[tra::number_of(own, key)].push_back(sites[number++]);
  }
  ia::SiteSets sets;
  for (std::vector<int32_t>& of_tuple : met) {
    if (of_tuple.empty()) {
      of_tuple.push_back(static_cast<int32_t>(static_cast<int64_t>(sets.num_keys()) % num_sites));
    }
    std::sort(of_tuple.begin(), of_tuple.end());
    of_tuple.erase(std::unique(of_tuple.begin(), of_tuple.end()), of_tuple.end());
    sets.add(of_tuple);
  }
  return sets;
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
