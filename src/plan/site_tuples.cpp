#include "plan/site_tuples.h"

#include <algorithm>
#include <utility>

namespace tessera::plan {

namespace {

/// Stands for the number of a tile in the key of a part.
constexpr int64_t kPartOfTile = -1;

}  // namespace

SiteTuples::SiteTuples(const ia::Graph& graph)
    : graph_(graph), num_sites_(static_cast<size_t>(graph.num_sites)), sites_(graph.nodes.size()) {
  lineage_.reserve(graph.nodes.size());
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    const ia::Placement& placement = graph.nodes[node].placement;
    if (!ia::is_everywhere(placement)) {
      sites_[node] = ia::site_sets_of(placement, graph.nodes[node].type.key, graph.num_sites);
    }
  }
}

bool SiteTuples::is_placed(ia::NodeId node, const Key& key, size_t site) const {
  if (!sites_[node.index()]) {
    return true;
  }
  const std::span<const int32_t> sites = sites_of(node, key);
  return std::binary_search(sites.begin(), sites.end(), static_cast<int32_t>(site));
}

/// Returns the sites of the tuple with this key. REQUIRES a node that is not everywhere.
std::span<const int32_t> SiteTuples::sites_of(ia::NodeId node, const Key& key) const {
  return sites_[node.index()]->of(tra::number_of(key, graph_.at(node).type.key));
}

std::vector<std::vector<Key>> SiteTuples::keys_by_site(ia::NodeId node,
                                                       const NeededKeys& needed) const {
  const bool has_all = !sites_[node.index()];
  std::vector<std::vector<Key>> keys(has_all ? 1 : num_sites_);
  const auto list = [&](const Key& key) {
    if (has_all) {
      keys[0].push_back(key);
      return;
    }
    for (const int32_t site : sites_of(node, key)) {
      keys[static_cast<size_t>(site)].push_back(key);
    }
  };
  if (needed) {
    std::for_each(needed->begin(), needed->end(), list);
  } else {
    const tra::Keys all = tra::all_keys(graph_.at(node).type.key);
    std::for_each(all.begin(), all.end(), list);
  }
  return keys;
}

std::shared_ptr<const Lineage> SiteTuples::of_all_sites(ia::NodeId node) const {
  const LineageBySite& lineage = lineage_[node.index()];
  if (num_sites_ == 1) {
    return lineage.front();
  }
  Lineage all;
  for (const std::shared_ptr<const Lineage>& more : lineage) {
    all.tuples.insert(more->tuples.begin(), more->tuples.end());
  }
  return std::make_shared<const Lineage>(std::move(all));
}

LineageBySite SiteTuples::brought(ia::NodeId node, ia::NodeId input, const NeededKeys& needed,
                                  TaskBuilder& tasks) {
  if (num_sites_ == 1) {
    return lineage_[input.index()];
  }
  const std::shared_ptr<const Lineage> all = of_all_sites(input);
  const std::vector<std::vector<Key>> keys = keys_by_site(node, needed);
  LineageBySite lineage;
  for (size_t site = 0; site < num_sites_; ++site) {
    tasks.set_site(SiteId(static_cast<int64_t>(site)));
    const std::map<Key, std::vector<View>>& own = of(input, site).tuples;
    Lineage here;
    for (const Key& key : keys[keys.size() == 1 ? 0 : site]) {
      const auto known = own.find(key);
      const auto elsewhere = known == own.end() ? all->tuples.find(key) : all->tuples.end();
      if (known != own.end()) {
        here.tuples.emplace_hint(here.tuples.end(), key, known->second);
      } else if (elsewhere != all->tuples.end()) {
        here.tuples.emplace_hint(here.tuples.end(), key,
                                 moved(site, graph_.at(node).type, key, elsewhere->second, tasks));
      }
    }
    lineage.push_back(std::make_shared<const Lineage>(std::move(here)));
  }
  return lineage;
}

std::vector<View> SiteTuples::moved(size_t site, const tra::RelationType& type, const Key& key,
                                    const std::vector<View>& tuple, TaskBuilder& tasks) {
  std::vector<int64_t> asked = {static_cast<int64_t>(site)};
  for (const View& view : tuple) {
    asked.push_back(view.part == nullptr ? view.tile.value : kPartOfTile);
  }
  const bool is_whole = std::find(asked.begin(), asked.end(), kPartOfTile) == asked.end();
  if (const auto known = moved_.find(asked); is_whole && known != moved_.end()) {
    return known->second;
  }
  std::vector<View> here = tasks.new_tuple(type, key);
  for (size_t column = 0; column < tuple.size(); ++column) {
    const View whole = cut_out(tuple[column], here[column], tasks);
    tasks.set_site(SiteId(static_cast<int64_t>(site)));
    tasks.add_move(whole, here[column]);
  }
  if (is_whole) {
    moved_.emplace(std::move(asked), here);
  }
  return here;
}

/// Returns a whole tile with the elements of a view, at its site: a part of a tile is cut out once
/// before it moves. `like` is the tile that it moves to.
View SiteTuples::cut_out(const View& view, const View& like, TaskBuilder& tasks) {
  const TaskGraph& graph = tasks.graph();
  if (view.part == nullptr || view.part->box == graph.dense(view.tile).box) {
    return view;
  }
  std::vector<int64_t> part = {view.tile.value};
  part.insert(part.end(), view.part->box.origin.begin(), view.part->box.origin.end());
  part.insert(part.end(), view.part->box.extent.begin(), view.part->box.extent.end());
  const auto [known, is_new] = cut_.try_emplace(std::move(part));
  if (is_new) {
    tasks.set_site(SiteId(graph.at(view.tile).space.value));
    known->second = tasks.new_tile_like(like.tile);
    tasks.add_copy(view, known->second);
  }
  return known->second;
}

}  // namespace tessera::plan
