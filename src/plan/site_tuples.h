#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "ir/ia/graph.h"
#include "plan/lineage.h"
#include "plan/needed_keys.h"
#include "plan/task_builder.h"

namespace tessera::plan {

/// The tuples of a relation that each site has; null for a join that has no tiles.
using LineageBySite = std::vector<std::shared_ptr<const Lineage>>;

/// Which tuples of every relation each site has, and how it gets those of others.
class SiteTuples {
 public:
  /// REQUIRES that the graph outlives it and leaves no placement open.
  explicit SiteTuples(const ia::Graph& graph);

  size_t num_sites() const { return num_sites_; }

  /// Whether a node's placement puts the tuple with this key on a site.
  bool is_placed(ia::NodeId node, const Key& key, size_t site) const;

  /// The keys of a node's tuples that are needed, by the site that its placement puts them on, in
  /// order; one list of all where every site has them all.
  std::vector<std::vector<Key>> keys_by_site(ia::NodeId node, const NeededKeys& needed) const;

  /// Of the next node in the graph's order.
  void add(LineageBySite lineage) { lineage_.push_back(std::move(lineage)); }

  /// Forgets all of them.
  void clear() { lineage_.clear(); }

  /// The tuples of a node that a site has. REQUIRES that it has tiles.
  const Lineage& of(ia::NodeId node, size_t site) const { return *lineage_[node.index()][site]; }

  /// The tuples of a node, each from the first site that has it.
  std::shared_ptr<const Lineage> of_all_sites(ia::NodeId node) const;

  /// The tuples of `input` with the keys that are needed, where `node` places them: there already,
  /// or moved there by tasks that are added. A tile comes to a site once, whoever asks for it.
  LineageBySite brought(ia::NodeId node, ia::NodeId input, const NeededKeys& needed,
                        TaskBuilder& tasks);

  /// A tuple of another site, moved to a site by tasks that are added once.
  std::vector<View> moved(size_t site, const tra::RelationType& type, const Key& key,
                          const std::vector<View>& tuple, TaskBuilder& tasks);

 private:
  std::span<const int32_t> sites_of(ia::NodeId node, const Key& key) const;
  View cut_out(const View& view, const View& like, TaskBuilder& tasks);

  const ia::Graph& graph_;
  size_t num_sites_;
  std::vector<std::optional<ia::SiteSets>> sites_;  // by node; nothing where every site has all
  std::vector<LineageBySite> lineage_;              // by node
  std::map<std::vector<int64_t>, std::vector<View>> moved_;  // by site and the tiles elsewhere
  std::map<std::vector<int64_t>, View> cut_;  // by tile and part: a tile beside it that holds that
};

}  // namespace tessera::plan
