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

/// The tuples of a relation by site; null for a join that has no tiles.
using LineageBySite = std::vector<std::shared_ptr<const Lineage>>;

/// The tuples of every relation on each site, and the moves that bring a site those of others.
class SiteTuples {
 public:
  /// REQUIRES that the graph outlives it and leaves no placement open.
  explicit SiteTuples(const ia::Graph& graph);

  size_t num_sites() const { return num_sites_; }

  /// True if a node's placement puts the tuple with this key on a site.
  bool is_placed(ia::NodeId node, const Key& key, size_t site) const;

  /// Returns the needed keys of a node by the site of their placement, in order; one list of all if
  /// every site has them all.
  std::vector<std::vector<Key>> keys_by_site(ia::NodeId node, const NeededKeys& needed) const;

  /// Adds the lineage of the next node in the graph's order.
  void add(LineageBySite lineage) { lineage_.push_back(std::move(lineage)); }

  /// Drops all lineages.
  void clear() { lineage_.clear(); }

  /// Returns the tuples of a node on a site. REQUIRES that it has tiles.
  const Lineage& of(ia::NodeId node, size_t site) const { return *lineage_[node.index()][site]; }

  /// Returns the tuples of a node, each from the first site that has it.
  std::shared_ptr<const Lineage> of_all_sites(ia::NodeId node) const;

  /// Returns the needed tuples of `input` where `node` places them: present already, or moved there
  /// by added tasks. A tile comes to a site once, for all its readers.
  LineageBySite brought(ia::NodeId node, ia::NodeId input, const NeededKeys& needed,
                        TaskBuilder& tasks);

  /// Moves a tuple of another site to a site, by tasks that are added once.
  std::vector<View> moved(size_t site, const tra::RelationType& type, const Key& key,
                          const std::vector<View>& tuple, TaskBuilder& tasks);

 private:
  std::span<const int32_t> sites_of(ia::NodeId node, const Key& key) const;
  View cut_out(const View& view, const View& like, TaskBuilder& tasks);

  const ia::Graph& graph_;
  size_t num_sites_;
  std::vector<std::optional<ia::SiteSets>> sites_;  // by node; nothing if every site has all
  std::vector<LineageBySite> lineage_;              // by node
  std::map<std::vector<int64_t>, std::vector<View>> moved_;  // by site and the tiles elsewhere
  // by tile and part: a tile beside it that holds the part
  std::map<std::vector<int64_t>, View> cut_;
};

}  // namespace tessera::plan
