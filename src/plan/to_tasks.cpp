// Long because there is a function for every operator of the algebra, and their shared parts.
#include "plan/to_tasks.h"

#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.h"
#include "ir/tra/presence.h"
#include "plan/accumulation.h"
#include "plan/accumulators.h"
#include "plan/closedness.h"
#include "plan/in_place.h"
#include "plan/lineage.h"
#include "plan/merging.h"
#include "plan/needed_keys.h"
#include "plan/order.h"
#include "plan/pasting.h"
#include "plan/results.h"
#include "plan/scanning.h"
#include "plan/site_tuples.h"
#include "plan/task_builder.h"
#include "plan/views.h"

namespace tessera::plan {

namespace {

/// The place of a join's result for a key: tiles of its own, or tiles with a value that it is
/// merged into.
struct Target {
  std::vector<View> columns;
  bool accumulate = false;
};

/// Returns the dimensions of a join's key that find the tuples of every input.
std::vector<std::vector<int>> dims_of_inputs(const tra::Join& join) {
  std::vector<std::vector<int>> dims;
  for (size_t input = 0; input < join.inputs.size(); ++input) {
    dims.push_back(tra::matched_dims(join, input));
  }
  return dims;
}

/// The lowering of a graph: finds the lineage of every node and adds the tasks that make its
/// tuples. Each site's tasks are found from its own tuples, as if there were no other site.
class Lowering {
 public:
  Lowering(const ia::Graph& graph, const kernels::Context& context)
      : from_(graph),
        context_(context),
        tuples_(graph),
        needed_(needed_keys(graph)),
        accumulates_(accumulating_joins(graph)),
        tasks_(context, graph.num_sites) {}

  TaskGraph run() && {
    // In an uncut program every node has a tile and a task, and every result a task that writes it.
    tasks_.reserve(from_.nodes.size(), from_.nodes.size() + from_.outputs.size());
    for (size_t node = 0; node < from_.nodes.size(); ++node) {
      enter(ia::NodeId(static_cast<int64_t>(node)));
      tuples_.add(lineage_of_current());
    }
    for (const ia::Output& output : from_.outputs) {
      enter(output.node);
      add_result(tasks_, output.name, current_->type, *tuples_.of_all_sites(output.node));
    }
    tuples_.clear();  // as large as the tasks
    return ordered(with_results_in_place(std::move(tasks_).take()));
  }

 private:
  void enter(ia::NodeId id) {
    current_ = &from_.at(id);
    current_id_ = id;
    tasks_.set_origin(current_->origin);
  }

  void enter_site(size_t site) {
    site_ = site;
    tasks_.set_site(SiteId(static_cast<int64_t>(site)));
  }

  const std::vector<tra::KeyDim>& key_of(ia::NodeId id) const { return from_.at(id).type.key; }
  const Lineage& lineage_of(ia::NodeId id) const { return tuples_.of(id, site_); }

  /// A value found for the last node that was asked about.
  template <class Value>
  struct OfNode {
    ia::NodeId node;
    Value value;
  };

  /// Returns the value that `find` returns for a node; finds it once for all sites.
  template <class Value, class Find>
  static const Value& once_for_all_sites(OfNode<Value>& last, ia::NodeId node, const Find& find) {
    if (last.node != node) {
      last = {node, find()};
    }
    return last.value;
  }

  /// Returns the keys of a node's tuples that some result needs and that are on this site, in
  /// order.
  const std::vector<Key>& needed_keys_here(ia::NodeId id) {
    const std::vector<std::vector<Key>>& keys = once_for_all_sites(
        listed_, id, [&] { return tuples_.keys_by_site(id, needed_[id.index()]); });
    return keys[keys.size() == 1 ? 0 : site_];
  }
  /// True if the tuple with this key belongs on this site. With copies, a site may have some of its
  /// inputs and yet not make it.
  bool is_placed_here(const Key& key) const { return tuples_.is_placed(current_id_, key, site_); }
  bool is_needed_here(const Key& key) const {
    const NeededKeys& needed = needed_[current_id_.index()];
    return (!needed || needed->count(key) != 0) && is_placed_here(key);
  }

  LineageBySite lineage_of_current() {
    return std::visit(Overload{[&](const ia::LocalOp& local) { return made_by(local.op); },
                               [&](const ia::Bcast& broadcast) { return brought(broadcast.input); },
                               [&](const ia::Shuf& shuffle) { return brought(shuffle.input); }},
                      current_->op);
  }

  LineageBySite made_by(const tra::Op& op) {
    if (const auto* scan = std::get_if<tra::Scan>(&op); scan != nullptr && scan->walks()) {
      return walked(*scan);
    }
    LineageBySite lineage(tuples_.num_sites());
    if (accumulates_[current_id_.index()]) {
      return lineage;  // it has no tiles: the aggregate adds its tasks
    }
    for (size_t site = 0; site < tuples_.num_sites(); ++site) {
      enter_site(site);
      lineage[site] = std::make_shared<const Lineage>(
          std::visit([&](const auto& operation) { return lower(operation); }, op));
    }
    return lineage;
  }

  LineageBySite brought(ia::NodeId input) {
    return tuples_.brought(current_id_, input, needed_[current_id_.index()], tasks_);
  }

  // ---- one function per operator

  Lineage lower(const tra::Input& input) {
    Lineage lineage;
    const Shared<std::string> name = input.name;
    if (current_->type.rows) {
      throw_error(ErrorKind::unsupported,
                  "input {} is a relation of rows, but sources give arrays only", input.name);
    }
    const ArrayType tensor = tra::arrays_of(current_->type).front();
    for (const Key& key : needed_keys_here(current_id_)) {
      if (tra::has_key(current_->type.present, key) == false) {
        continue;
      }
      std::vector<View> tuple = tasks_.new_tuple(current_->type, key);
      tasks_.add_read(name, tensor.shape, input.order, tuple.front());
      lineage.tuples.emplace(key, std::move(tuple));
    }
    tasks_.add_source({input.name, tensor});
    return lineage;
  }

  Lineage lower(const tra::Join& join) {
    Lineage lineage;
    if (join.source) {
      add_gathers(join, lineage);
      return lineage;
    }
    add_join(join, current_id_, [&](const Key& key) {
      const auto tuple = lineage.tuples.emplace(key, tasks_.new_tuple(current_->type, key)).first;
      return std::optional(Target{tuple->second, false});
    });
    return lineage;
  }

  /// Adds a task for every needed key of a join with a source whose tables are present.
  void add_gathers(const tra::Join& join, Lineage& lineage) {
    const ProgramId program = tasks_.intern(join.kernel);
    const std::vector<std::vector<int>> of_tables = dims_of_inputs(join);
    tasks_.add_source({join.source->name, join.source->type});
    for (const Key& key : needed_keys_here(current_id_)) {
      if (std::optional<std::vector<View>> tables = meeting(join, of_tables, key)) {
        const auto tuple = lineage.tuples.emplace(key, tasks_.new_tuple(current_->type, key)).first;
        tasks_.add_gather(*join.source, program, ranges_of(join.kernel, join.key, key),
                          *std::move(tables), tuple->second.front());
      }
    }
  }

  /// Adds a task for every needed key of the join whose tuples are all present. `target` gives the
  /// place of its result, if this site makes it.
  template <class TargetOf>
  void add_join(const tra::Join& join, ia::NodeId id, TargetOf target) {
    const ProgramId program = tasks_.intern(join.kernel);
    const std::vector<std::vector<int>> sources = dims_of_inputs(join);
    for (const Key& key : needed_keys_here(id)) {
      std::optional<std::vector<View>> inputs = meeting(join, sources, key);
      if (std::optional<Target> place = inputs ? target(key) : std::nullopt) {
        tasks_.add_compute(program, ranges_of(join.kernel, join.key, key), place->accumulate,
                           std::move(*inputs), std::move(place->columns));
      }
    }
  }

  /// Returns the arrays of the tuples that meet under a key, or nothing if one is missing.
  std::optional<std::vector<View>> meeting(const tra::Join& join,
                                           const std::vector<std::vector<int>>& sources,
                                           const Key& key) const {
    std::vector<View> arrays;
    for (size_t input = 0; input < join.inputs.size(); ++input) {
      const auto& tuples = lineage_of(join.inputs[input]).tuples;
      const auto found = tuples.find(tra::matched_key(key, sources[input]));
      if (found == tuples.end()) {
        return std::nullopt;
      }
      arrays.insert(arrays.end(), found->second.begin(), found->second.end());
    }
    return arrays;
  }

  Lineage lower(const tra::Aggregate& aggregate) {
    if (accumulates_[aggregate.input.index()]) {
      return accumulated(aggregate);
    }
    const tra::Coarsening group_of(key_of(aggregate.input), current_->type.key);
    std::map<Key, std::vector<std::vector<View>>> groups;
    for (const auto& [key, tuple] : lineage_of(aggregate.input).tuples) {
      const Key group = group_of(key);
      if (is_needed_here(group)) {
        groups[group].push_back(rebased(tasks_.graph(), tuple, current_->type, group));
      }
    }
    Lineage lineage;
    for (const auto& [group, tuples] : groups) {
      lineage.tuples.emplace(group, add_merge(tasks_, aggregate, current_->type, group, tuples));
    }
    return lineage;
  }

  /// Accumulates: the join's tasks add to the tiles of their group in turn, which are then merged.
  /// For a task the tile lies where its own result would: a mode whose key is dropped is placed
  /// differently in each.
  Lineage accumulated(const tra::Aggregate& aggregate) {
    const ia::Node& joined = from_.at(aggregate.input);
    const auto& join = std::get<tra::Join>(*ia::local_op(joined));
    const bool is_moved = joined.type.columns != current_->type.columns;  // shorter modes
    const tra::Coarsening group_of(join.key, current_->type.key);
    Accumulators turns(num_chains(from_, current_id_, needed_keys_here(aggregate.input).size()));
    add_join(join, aggregate.input, [&](const Key& key) {
      const Key group = group_of(key);
      if (!is_placed_here(group)) {
        return std::optional<Target>();
      }
      const auto [tile, is_there] =
          turns.next(group, [&] { return tasks_.new_tuple(current_->type, group); });
      return std::optional(
          Target{is_moved ? rebased(tasks_.graph(), tile, joined.type, key) : tile, is_there});
    });
    Lineage lineage;
    turns.for_each_group([&](const Key& key, const auto& tiles) {
      lineage.tuples.emplace(key, merge_in_place(tasks_, aggregate, current_->type, key, tiles));
    });
    return lineage;
  }

  Lineage lower(const tra::Filter& filter) {
    const std::vector<bool>& kept = once_for_all_sites(kept_, current_id_, [&] {
      return keys_kept(filter.predicate, current_->type.key, context_);
    });
    Lineage lineage;
    for (const auto& tuple : lineage_of(filter.input).tuples) {
      if (kept[tra::number_of(tuple.first, current_->type.key)] && is_placed_here(tuple.first)) {
        lineage.tuples.insert(lineage.tuples.end(), tuple);
      }
    }
    return lineage;
  }

  /// The tuples of all sites show if keys stay unique and leave no gap.
  Lineage lower(const tra::Rekey& rekey) {
    const std::map<Key, Key>& new_keys = once_for_all_sites(new_keys_, current_id_, [&] {
      return rekeyed(tuples_.of_all_sites(rekey.input)->tuples, key_of(rekey.input), rekey.key,
                     *current_);
    });
    Lineage lineage;
    for (const auto& [key, tuple] : lineage_of(rekey.input).tuples) {
      const Key& new_key = new_keys.at(key);
      if (is_placed_here(new_key)) {
        lineage.tuples.emplace(new_key, rebased(tasks_.graph(), tuple, current_->type, new_key));
      }
    }
    return lineage;
  }

  Lineage lower(const tra::Transform& transform) {
    const ProgramId program = tasks_.intern(transform.kernel);
    Lineage lineage;
    for (const auto& [key, tuple] : lineage_of(transform.input).tuples) {
      if (!is_needed_here(key)) {
        continue;
      }
      const auto result = lineage.tuples.emplace(key, tasks_.new_tuple(current_->type, key)).first;
      tasks_.add_compute(program, ranges_of(transform.kernel, current_->type.key, key), false,
                         tuple, result->second);
    }
    return lineage;
  }

  Lineage lower(const tra::Tile& tile) { return cut(tile.input); }
  Lineage lower(const tra::Concat& concat) { return pasted(concat.input); }
  Lineage lower(const tra::Repartition& repartition) {
    return tra::refines(current_->type.key, key_of(repartition.input)) ? cut(repartition.input)
                                                                       : pasted(repartition.input);
  }

  Lineage lower(const tra::Scan& scan) {
    return add_scan(tasks_, scan, current_->type, lineage_of(scan.input),
                    [&](const Key& key) { return is_needed_here(key); });
  }

  LineageBySite walked(const tra::Scan& scan) {
    const tra::Join steps = tra::steps_of(scan, current_->type.key);
    const std::vector<std::vector<int>> dims = dims_of_inputs(steps);
    const auto is_placed = [&](const Key& key, size_t site) {
      return tuples_.is_placed(current_id_, key, site);
    };
    const auto met = [&](const Key& key, size_t site) {
      enter_site(site);
      return *meeting(steps, dims, key);
    };
    return add_walking_scan(tasks_, tuples_, scan, current_->type,
                            {needed_[current_id_.index()], is_placed, met});
  }

  /// Smaller tiles are views of the larger ones.
  Lineage cut(ia::NodeId input) {
    const tra::RelationType& type = current_->type;
    const tra::Coarsening whole_of(type.key, key_of(input));
    Lineage lineage;
    for (const Key& key : needed_keys_here(current_id_)) {
      const auto found = lineage_of(input).tuples.find(whole_of(key));
      if (found == lineage_of(input).tuples.end()) {
        continue;
      }
      std::vector<View> tuple = found->second;
      for (size_t column = 0; column < tuple.size(); ++column) {
        tuple[column] =
            narrowed(tasks_.graph(), tuple[column], box_of(type.columns[column], type.key, key));
      }
      lineage.tuples.emplace(key, std::move(tuple));
    }
    return lineage;
  }

  /// Groups the site's input tuples by the key of the output tuple that they become part of. If the
  /// outputs are windows, a tuple may be part of several.
  TupleGroups groups_of(ia::NodeId input) {
    const std::map<Key, std::vector<View>>& tuples = lineage_of(input).tuples;
    TupleGroups groups;
    if (tra::has_windows(current_->type.key)) {
      for (const Key& group : needed_keys_here(current_id_)) {
        for (const Key& part : tra::parts_of(group, current_->type.key, key_of(input))) {
          if (const auto tuple = tuples.find(part); tuple != tuples.end()) {
            groups[group].push_back(tuple->second);
          }
        }
      }
      return groups;
    }
    const tra::Coarsening group_of(key_of(input), current_->type.key);
    for (const auto& [key, tuple] : tuples) {
      const Key group = group_of(key);
      if (is_needed_here(group)) {
        groups[group].push_back(tuple);
      }
    }
    return groups;
  }

  Lineage pasted(ia::NodeId input) { return add_pastes(tasks_, *current_, groups_of(input)); }

  const ia::Graph& from_;
  const kernels::Context& context_;
  SiteTuples tuples_;
  const std::vector<NeededKeys> needed_;
  const std::vector<bool> accumulates_;
  const ia::Node* current_ = nullptr;
  ia::NodeId current_id_;
  size_t site_ = 0;
  OfNode<std::vector<std::vector<Key>>> listed_;  // by site
  OfNode<std::vector<bool>> kept_;                // of a filter
  OfNode<std::map<Key, Key>> new_keys_;           // of a rekey
  TaskBuilder tasks_;
};

}  // namespace

TaskGraph to_tasks(const ia::Graph& graph, const kernels::Context& context) {
  TESSERA_CHECK(graph.num_sites <= kMostSites, "tasks for {} sites", graph.num_sites);
  for (const ia::Node& node : graph.nodes) {
    if (ia::is_undecided(node.placement)) {
      throw_error(ErrorKind::unsupported,
                  "nothing decides yet where the tuples of {} are, which its plan leaves open",
                  node.origin.statement);
    }
  }
  const kernels::Context used = kernels::context_for(context, graph.is_reproducible);
  TaskGraph tasks = Lowering(graph, used).run();
  tasks.is_reproducible = graph.is_reproducible;
  return tasks;
}

}  // namespace tessera::plan
