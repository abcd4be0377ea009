#include "ir/ia/shared_sites.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "ir/tra/keys.h"
#include "ir/tra/presence.h"

namespace tessera::ia {

namespace {

using KeySpace = std::vector<tra::KeyDim>;

/// The sites that have all that a tuple is made from.
struct Sharing {
  std::vector<int32_t> sites;
  bool is_bound = false;  // some of it is not everywhere
};

class SharedSites {
 public:
  SharedSites(const Graph& graph, const tra::Op& op, const tra::RelationType& type)
      : graph_(graph), type_(type), shared_(static_cast<size_t>(tra::num_keys(type.key))) {
    std::visit(*this, op);
  }

  /// Wherever it can be.
  OrRefusal<Placement> everywhere() const {
    SiteSets sets;
    for (size_t number = 0; number < shared_.size(); ++number) {
      if (shared_[number].is_bound && shared_[number].sites.empty()) {
        return Refusal{fmt::format("tuples that meet are apart: for key {} no site has all of them",
                                   key_text(number))};
      }
      sets.add(shared_[number].sites);
    }
    return copied(std::move(sets), graph_.num_sites);
  }

  OrRefusal<Placement> at(const Placement& placement) const {
    const std::vector<int32_t> sites = sites_of(placement, type_.key, graph_.num_sites);
    for (size_t number = 0; number < shared_.size(); ++number) {
      const auto& [shared, is_bound] = shared_[number];
      if (sites[number] == kNowhere) {
        if (is_present(number)) {
          return Refusal{fmt::format("no site is named for key {}", key_text(number))};
        }
      } else if (is_bound && !std::binary_search(shared.begin(), shared.end(), sites[number])) {
        return Refusal{fmt::format("site {} is named for key {}, but lacks tuples that meet there",
                                   sites[number], key_text(number))};
      }
    }
    return placement;
  }

  // ---- one function per operator: what each of its tuples is made from

  void operator()(const tra::Input& input) const {
    throw_error(ErrorKind::internal, "the placement of input {} comes with it", input.name);
  }
  void operator()(const tra::Filter& filter) { stays(filter.input); }
  void operator()(const tra::Transform& transform) { stays(transform.input); }
  void operator()(const tra::Aggregate& aggregate) { merged(aggregate.input); }
  void operator()(const tra::Concat& concat) { merged(concat.input); }
  void operator()(const tra::Tile& tile) { cut(tile.input); }
  void operator()(const tra::Repartition& repartition) {
    const bool is_cut = tra::refines(type_.key, key_of(repartition.input));
    is_cut ? cut(repartition.input) : merged(repartition.input);
  }
  void operator()(const tra::Join& join) {
    for (size_t input = 0; input < join.inputs.size(); ++input) {
      const std::vector<int> dims = tra::matched_dims(join, input);
      each_from(join.inputs[input],
                [&](const tra::Key& key) { return tra::matched_key(key, dims); });
    }
  }
  void operator()(const tra::Rekey& rekey) {
    const KeySpace& from = key_of(rekey.input);
    each_into(rekey.input,
              [&](const tra::Key& key) { return tra::mapped_key(from, key, rekey.key); });
  }

 private:
  const KeySpace& key_of(NodeId id) const { return graph_.at(id).type.key; }
  bool is_present(size_t number) const {
    const tra::KeySet& present = type_.present;
    return tra::has_all(present) || tra::has_key(present, tra::all_keys(type_.key)[number]) == true;
  }

  std::string key_text(size_t number) const {
    return tra::to_string(tra::all_keys(type_.key)[number], type_.key);
  }

  void stays(NodeId input) {
    each_from(input, [](const tra::Key& key) { return key; });
  }
  void cut(NodeId input) { each_from(input, tra::Coarsening(type_.key, key_of(input))); }
  void merged(NodeId input) { each_into(input, tra::Coarsening(key_of(input), type_.key)); }

  /// Every tuple of the result is made from the one whose key `from` gives.
  template <class From>
  void each_from(NodeId input, From from) {
    if (is_everywhere(graph_.at(input).placement)) {
      return;
    }
    const SiteSets sets = site_sets_of(graph_.at(input).placement, key_of(input), graph_.num_sites);
    size_t number = 0;
    for (const tra::Key& key : tra::all_keys(type_.key)) {
      bind(number++, sets.of(tra::number_of(from(key), key_of(input))));
    }
  }

  /// Every tuple of the input becomes part of the one whose key `into` gives.
  template <class Into>
  void each_into(NodeId input, Into into) {
    if (is_everywhere(graph_.at(input).placement)) {
      return;
    }
    const SiteSets sets = site_sets_of(graph_.at(input).placement, key_of(input), graph_.num_sites);
    size_t number = 0;
    for (const tra::Key& key : tra::all_keys(key_of(input))) {
      bind(tra::number_of(into(key), type_.key), sets.of(number++));
    }
  }

  /// A tuple that is made from one on these sites; on none where there is none.
  void bind(size_t number, std::span<const int32_t> sites) {
    if (sites.empty()) {
      return;
    }
    auto& [shared, is_bound] = shared_[number];
    if (!std::exchange(is_bound, true)) {
      shared.assign(sites.begin(), sites.end());
      return;
    }
    std::erase_if(shared, [&](int32_t site) {
      return !std::binary_search(sites.begin(), sites.end(), site);
    });
  }

  const Graph& graph_;
  const tra::RelationType& type_;
  std::vector<Sharing> shared_;  // by the number of the key
};

}  // namespace

OrRefusal<Placement> placement_by_sites(const Graph& graph, const LocalOp& local,
                                        const tra::RelationType& type) {
  const SharedSites shared(graph, local.op, type);
  return local.at ? shared.at(*local.at) : shared.everywhere();
}

}  // namespace tessera::ia
