#include "plan/to_tasks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "plan/closedness.h"
#include "plan/lineage.h"
#include "plan/needed_keys.h"
#include "plan/order.h"
#include "plan/task_builder.h"

namespace tessera::plan {

namespace {

/// Where a join leaves the result for a key: in tiles of its own, or merged into tiles that hold a
/// value already.
struct Target {
  std::vector<View> columns;
  bool accumulate = false;
};

class Lowering {
 public:
  Lowering(const ia::Graph& graph, const kernels::Registry& registry)
      : from_(graph), registry_(registry), needed_(needed_keys(graph)), tasks_(registry) {}

  TaskGraph run() && {
    count_readers();
    for (size_t node = 0; node < from_.nodes.size(); ++node) {
      enter(ia::NodeId(static_cast<int64_t>(node)));
      Lineage lineage;
      if (!is_merged_into_aggregate(ia::NodeId(static_cast<int64_t>(node)))) {
        lineage = std::visit([&](const auto& op) { return lower(op); }, current_->op);
      }
      lineage_.push_back(std::move(lineage));
    }
    for (const ia::Output& output : from_.outputs) {
      write_output(output);
    }
    lineage_.clear();  // as large as the tasks
    return ordered(std::move(tasks_).take());
  }

 private:
  void enter(ia::NodeId id) {
    current_ = &from_.at(id);
    current_id_ = id;
    tasks_.set_origin(current_->origin);
  }

  const tra::RelationType& type_of(ia::NodeId id) const { return from_.at(id).type; }
  Lineage& lineage_of(ia::NodeId id) { return lineage_[id.index()]; }

  /// The keys of a node's tuples that some result needs, in order.
  std::vector<Key> keys_of(ia::NodeId id) const {
    const NeededKeys& needed = needed_[id.index()];
    return needed ? std::vector<Key>(needed->begin(), needed->end()) : all_keys(type_of(id).key);
  }
  bool is_needed(const Key& key) const {
    const NeededKeys& needed = needed_[current_id_.index()];
    return !needed || needed->count(key) != 0;
  }

  // ---- which joins write straight into an aggregate's tiles

  void count_readers() {
    readers_.resize(from_.nodes.size(), 0);
    for (const ia::Node& node : from_.nodes) {
      for (const ia::NodeId input : ia::inputs_of(node.op)) {
        ++readers_[input.index()];
        reader_of_[input] = &node;
      }
    }
    for (const ia::Output& output : from_.outputs) {
      readers_[output.node.index()] += 2;  // a result is kept
    }
  }

  /// A join whose only reader merges one after the other, with the monoid that the join's kernel
  /// reduces with: C += A * B.
  bool is_merged_into_aggregate(ia::NodeId id) const {
    const auto* join = std::get_if<ia::LocalJoin>(&from_.at(id).op);
    if (join == nullptr || readers_[id.index()] != 1) {
      return false;
    }
    const auto* aggregate = std::get_if<ia::LocalAggregate>(&reader_of_.at(id)->op);
    const auto* merge = aggregate == nullptr ? nullptr : std::get_if<ia::Merge>(&aggregate->how);
    const expr::TileStatement& last = join->kernel.statements.back();
    return merge != nullptr && merge->order == tra::MergeOrder::sequence && last.reduce &&
           *last.reduce == merge->monoid;
  }

  /// A tuple's arrays under a new type and key: the same bytes, their places counted as the type
  /// says.
  std::vector<View> rebased(std::vector<View> columns, const tra::RelationType& type,
                            const Key& key) const {
    for (size_t column = 0; column < columns.size(); ++column) {
      View& view = columns[column];
      view = tasks_.graph().part_of_tile(
          view.tile,
          {tasks_.graph().box_of(view), box_of(type.columns[column], type.key, key).origin});
    }
    return columns;
  }

  static std::vector<kernels::LabelRange> ranges_of(const expr::TileProgram& program,
                                                    const std::vector<tra::KeyDim>& dims,
                                                    const Key& key) {
    std::vector<kernels::LabelRange> ranges;
    for (const expr::LabelDecl& label : program.labels) {
      ranges.push_back(range_of(label, dims, key));
    }
    return ranges;
  }

  // ---- one function per operator

  Lineage lower(const ia::Source& source) {
    Lineage lineage;
    const Shared<std::string> name = source.name;
    for (const Key& key : keys_of(current_id_)) {
      std::vector<View> tuple = tasks_.new_tuple(current_->type, key);
      tasks_.add_read(name, tuple.front());
      lineage.tuples.emplace(key, std::move(tuple));
    }
    return lineage;
  }

  Lineage lower(const ia::Bcast& bcast) { return lineage_of(bcast.input); }
  Lineage lower(const ia::Shuf& shuf) { return lineage_of(shuf.input); }

  Lineage lower(const ia::LocalJoin& join) {
    Lineage lineage;
    lower_join(join, current_id_, [&](const Key& key) {
      const auto tuple = lineage.tuples.emplace(key, tasks_.new_tuple(current_->type, key)).first;
      return Target{tuple->second, false};
    });
    return lineage;
  }

  /// A task for every needed key of the join whose tuples are all present; `target` says where its
  /// result goes.
  template <class TargetOf>
  void lower_join(const ia::LocalJoin& join, ia::NodeId id, TargetOf target) {
    const ProgramId program = tasks_.intern(join.kernel);
    std::vector<std::vector<int>>
        sources;  // per input and dimension: which dimension of the join's key, or -1
    for (const std::vector<std::string>& match : join.match) {
      std::vector<int>& from = sources.emplace_back();
      for (const std::string& label : match) {
        from.push_back(tra::find_key_dim({join.key, {}}, label));
      }
    }
    for (const Key& key : keys_of(id)) {
      if (std::optional<std::vector<View>> inputs = meeting(join, sources, key)) {
        Target place = target(key);
        tasks_.add_compute(program, ranges_of(join.kernel, join.key, key), place.accumulate,
                           std::move(*inputs), std::move(place.columns));
      }
    }
  }

  /// The arrays of the tuples that meet under a key, or nothing if one is missing.
  std::optional<std::vector<View>> meeting(const ia::LocalJoin& join,
                                           const std::vector<std::vector<int>>& sources,
                                           const Key& key) {
    std::vector<View> arrays;
    for (size_t input = 0; input < join.inputs.size(); ++input) {
      Key wanted;
      for (const int dim : sources[input]) {
        wanted.push_back(dim < 0 ? 0 : key[static_cast<size_t>(dim)]);
      }
      const auto& tuples = lineage_of(join.inputs[input]).tuples;
      const auto found = tuples.find(wanted);
      if (found == tuples.end()) {
        return std::nullopt;
      }
      arrays.insert(arrays.end(), found->second.begin(), found->second.end());
    }
    return arrays;
  }

  Lineage lower(const ia::LocalAggregate& aggregate) {
    return std::visit([&](const auto& how) { return lower_aggregate(aggregate.input, how); },
                      aggregate.how);
  }

  Lineage lower_aggregate(ia::NodeId input, const ia::Merge& merge) {
    std::vector<size_t> kept;
    for (const std::string& label : merge.keep) {
      kept.push_back(static_cast<size_t>(tra::find_key_dim(type_of(input), label)));
    }
    const auto group_of = [&](const Key& key) {
      Key group;
      for (const size_t dim : kept) {
        group.push_back(key[dim]);
      }
      return group;
    };
    Lineage lineage;
    if (is_merged_into_aggregate(input)) {
      lower_join(std::get<ia::LocalJoin>(from_.at(input).op), input, [&](const Key& key) {
        const Key group = group_of(key);
        const auto known = lineage.tuples.find(group);
        if (known != lineage.tuples.end()) {
          return Target{known->second, true};
        }
        return Target{
            lineage.tuples.emplace(group, tasks_.new_tuple(current_->type, group)).first->second,
            false};
      });
      return lineage;
    }
    std::map<Key, std::vector<std::vector<View>>> groups;
    for (const auto& [key, tuple] : lineage_of(input).tuples) {
      const Key group = group_of(key);
      if (is_needed(group)) {
        groups[group].push_back(rebased(tuple, current_->type, group));
      }
    }
    for (const auto& [group, tuples] : groups) {
      lineage.tuples.emplace(group, merged(merge, group, tuples));
    }
    return lineage;
  }

  /// Adds the tasks that merge two tuples into a third.
  struct Merging {
    ProgramId program;
    std::vector<kernels::LabelRange> ranges;
    Key group;
  };
  void merge_two(const Merging& merging, std::vector<View> left, const std::vector<View>& right,
                 const std::vector<View>& result) {
    left.insert(left.end(), right.begin(), right.end());
    tasks_.add_compute(merging.program, merging.ranges, false, std::move(left), result);
  }

  std::vector<View> merged(const ia::Merge& merge, const Key& group,
                           const std::vector<std::vector<View>>& tuples) {
    if (tuples.size() == 1) {
      return tuples.front();
    }
    std::vector<expr::LabelDecl> labels;
    for (const tra::Mode& mode : current_->type.columns.front().modes) {
      labels.push_back({mode.label, mode.extent});
    }
    const expr::TileProgram program = expr::combine_program(merge.monoid, labels);
    const Merging merging{tasks_.intern(program), ranges_of(program, current_->type.key, group),
                          group};
    return merge.order == tra::MergeOrder::tree ? merged_as_tree(merging, tuples)
                                                : merged_in_sequence(merging, tuples);
  }

  /// ((t0 + t1) + t2) + ...
  std::vector<View> merged_in_sequence(const Merging& merging,
                                       const std::vector<std::vector<View>>& tuples) {
    const std::vector<View> result = tasks_.new_tuple(current_->type, merging.group);
    for (size_t next = 1; next < tuples.size(); ++next) {
      merge_two(merging, next == 1 ? tuples.front() : result, tuples[next], result);
    }
    return result;
  }

  /// (t0 + t1) + (t2 + t3) ...: the order of tra::MergeOrder::tree. A partial that is done is
  /// merged as soon as its partner is, as in a binary counter, so that few of them are held at a
  /// time.
  std::vector<View> merged_as_tree(const Merging& merging,
                                   const std::vector<std::vector<View>>& tuples) {
    struct Partial {
      std::vector<View> tuple;
      size_t num_tuples = 1;
    };
    std::vector<Partial> partials;
    const auto merge_last_two = [&] {
      const Partial right = std::move(partials.back());
      partials.pop_back();
      Partial& left = partials.back();
      // What was merged here is this aggregate's own and takes the result; a tuple that came in may
      // have other readers.
      std::vector<View> result =
          left.num_tuples > 1 ? left.tuple : tasks_.new_tuple(current_->type, merging.group);
      merge_two(merging, std::move(left.tuple), right.tuple, result);
      left = {std::move(result), left.num_tuples + right.num_tuples};
    };
    for (const std::vector<View>& tuple : tuples) {
      partials.push_back({tuple, 1});
      while (partials.size() > 1 &&
             partials.back().num_tuples == partials[partials.size() - 2].num_tuples) {
        merge_last_two();
      }
    }
    while (partials.size() > 1) {
      merge_last_two();
    }
    return std::move(partials.front().tuple);
  }

  /// Every tuple is a box of one larger tile: copied into it, or the tile itself where it is the
  /// whole of it.
  Lineage lower_aggregate(ia::NodeId input, const ia::Paste& paste) {
    std::map<Key, std::vector<std::vector<View>>> groups;
    for (const auto& [key, tuple] : lineage_of(input).tuples) {
      const Key group = coarser_key(type_of(input).key, key, paste.key);
      if (is_needed(group)) {
        groups[group].push_back(tuple);
      }
    }
    Lineage lineage;
    for (const auto& [group, tuples] : groups) {
      if (tuples.size() == 1 && is_whole(tuples.front(), group)) {
        lineage.tuples.emplace(group, tuples.front());
        continue;
      }
      const std::vector<View> result = tasks_.new_tuple(current_->type, group);
      for (size_t column = 0; column < result.size(); ++column) {
        paste_into(result[column], column, tuples, group);
      }
      lineage.tuples.emplace(group, result);
    }
    return lineage;
  }

  bool is_whole(const std::vector<View>& tuple, const Key& key) const {
    for (size_t column = 0; column < tuple.size(); ++column) {
      if (box_of(current_->type.columns[column], current_->type.key, key).extent !=
          tasks_.graph().box_of(tuple[column]).extent) {
        return false;
      }
    }
    return true;
  }

  void paste_into(const View& tile, size_t column, const std::vector<std::vector<View>>& tuples,
                  const Key& group) {
    int64_t pasted = 0;
    for (const std::vector<View>& tuple : tuples) {
      const View& part = tuple[column];
      const Shape& extent = tasks_.graph().box_of(part).extent;
      const std::vector<int64_t>& origin = tasks_.graph().origin_of(part);
      pasted += num_elements(extent);
      tasks_.add_copy(part, tasks_.graph().part_of_tile(tile.tile, {{origin, extent}, origin}));
    }
    TESSERA_USER_CHECK(pasted == num_elements(tasks_.graph().box_of(tile).extent),
                       "{}: tile {} has a hole: a filter left out pieces of it",
                       current_->origin.statement, to_string(group, current_->type.key));
  }

  Lineage lower(const ia::LocalFilter& filter) {
    const std::vector<tra::KeyDim>& dims = current_->type.key;
    const std::vector<Key> keys = all_keys(dims);
    const std::vector<bool> kept = keys_kept(filter.predicate, dims, registry_);
    Lineage lineage;
    for (size_t number = 0; number < keys.size(); ++number) {
      const auto tuple = lineage_of(filter.input).tuples.find(keys[number]);
      if (kept[number] && tuple != lineage_of(filter.input).tuples.end()) {
        lineage.tuples.insert(*tuple);
      }
    }
    return lineage;
  }

  Lineage lower(const ia::LocalMap& map) {
    return std::visit([&](const auto& how) { return lower_map(map.input, how); }, map.how);
  }

  Lineage lower_map(ia::NodeId input, const ia::MapKeys& map) {
    const std::map<Key, Key> new_keys =
        rekeyed(lineage_of(input).tuples, type_of(input).key, map.key, *current_);
    Lineage lineage;
    for (const auto& [key, tuple] : lineage_of(input).tuples) {
      const Key& new_key = new_keys.at(key);
      lineage.tuples.emplace(new_key, rebased(tuple, current_->type, new_key));
    }
    return lineage;
  }

  Lineage lower_map(ia::NodeId input, const ia::MapArrays& map) {
    const ProgramId program = tasks_.intern(map.kernel);
    Lineage lineage;
    for (const auto& [key, tuple] : lineage_of(input).tuples) {
      if (!is_needed(key)) {
        continue;
      }
      const auto result = lineage.tuples.emplace(key, tasks_.new_tuple(current_->type, key)).first;
      tasks_.add_compute(program, ranges_of(map.kernel, current_->type.key, key), false, tuple,
                         result->second);
    }
    return lineage;
  }

  /// Smaller tiles are views of the larger ones.
  Lineage lower_map(ia::NodeId input, const ia::Cut& cut) {
    const std::vector<tra::KeyDim>& coarse = type_of(input).key;
    Lineage lineage;
    for (const Key& key : keys_of(current_id_)) {
      const auto found = lineage_of(input).tuples.find(coarser_key(cut.key, key, coarse));
      if (found == lineage_of(input).tuples.end()) {
        continue;
      }
      std::vector<View> tuple = found->second;
      for (size_t column = 0; column < tuple.size(); ++column) {
        tuple[column] =
            narrowed(tuple[column], box_of(current_->type.columns[column], cut.key, key));
      }
      lineage.tuples.emplace(key, std::move(tuple));
    }
    return lineage;
  }

  /// The part of a view that covers `box` of its reader's coordinates.
  View narrowed(const View& view, const Box& box) const {
    Part part{{tasks_.graph().box_of(view).origin, box.extent}, box.origin};
    for (size_t mode = 0; mode < box.origin.size(); ++mode) {
      part.box.origin[mode] += box.origin[mode] - tasks_.graph().origin_of(view)[mode];
    }
    return tasks_.graph().part_of_tile(view.tile, std::move(part));
  }

  // ---- results

  void write_output(const ia::Output& output) {
    enter(output.node);
    const tra::RelationType& type = current_->type;
    TESSERA_USER_CHECK(type.columns.size() == 1,
                       "result {}: its tuples have {} arrays, a file holds one", output.name,
                       type.columns.size());
    const std::vector<size_t> leading = dims_without_mode(type);
    SinkInfo sink{output.name, {type.columns[0].dtype, {}}};
    for (const size_t dim : leading) {
      sink.type.shape.push_back(tra::num_keys(type.key[dim]));
    }
    for (const tra::Mode& mode : type.columns[0].modes) {
      sink.type.shape.push_back(mode.extent);
    }
    const auto& tuples = lineage_of(output.node).tuples;
    const Shared<std::string> name = output.name;
    for (const Key& key : all_keys(type.key)) {
      const auto tuple = tuples.find(key);
      TESSERA_USER_CHECK(tuple != tuples.end(),
                         "result {}: there is no tuple with key {}: a filter left it out",
                         output.name, to_string(key, type.key));
      const View& view = tuple->second.front();
      Part part{tasks_.graph().box_of(view), {}};
      for (const size_t dim : leading) {
        part.origin.push_back(key[dim]);
      }
      const std::vector<int64_t>& origin = tasks_.graph().origin_of(view);
      part.origin.insert(part.origin.end(), origin.begin(), origin.end());
      tasks_.add_write(name, tasks_.graph().part_of_tile(view.tile, std::move(part)));
    }
    tasks_.add_sink(std::move(sink));
  }

  static std::vector<size_t> dims_without_mode(const tra::RelationType& type) {
    std::vector<size_t> dims;
    for (size_t dim = 0; dim < type.key.size(); ++dim) {
      const auto* dense = std::get_if<tra::DenseDim>(&type.key[dim]);
      const auto& modes = type.columns[0].modes;
      const bool counts_a_mode =
          dense != nullptr && std::any_of(modes.begin(), modes.end(), [&](const tra::Mode& mode) {
            return mode.label == dense->label;
          });
      if (!counts_a_mode) {
        dims.push_back(dim);
      }
    }
    return dims;
  }

  const ia::Graph& from_;
  const kernels::Registry& registry_;
  const std::vector<NeededKeys> needed_;
  const ia::Node* current_ = nullptr;
  ia::NodeId current_id_;
  std::vector<int> readers_;
  std::map<ia::NodeId, const ia::Node*> reader_of_;
  std::vector<Lineage> lineage_;
  TaskBuilder tasks_;
};

}  // namespace

TaskGraph to_tasks(const ia::Graph& graph, const kernels::Registry& registry) {
  if (graph.num_sites != 1) {
    throw_error(ErrorKind::unsupported, "running on {} sites is not built yet; plan for one site",
                graph.num_sites);
  }
  return Lowering(graph, registry).run();
}

}  // namespace tessera::plan
