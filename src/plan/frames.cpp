#include "plan/frames.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/overload.h"
#include "ir/tra/keys.h"
#include "plan/plan_size.h"

namespace tessera::plan {

namespace {

using ia::NodeId;

/// True if a frame that reads a node of an earlier one makes it again, from the same inputs: it has
/// no tasks but moves and reads, and its tuples may be needed in few places only.
bool is_repeated(const ia::Graph& graph, const ia::Node& node) {
  const Overload of_local{[](const tra::Input&) { return true; },
                          [](const tra::Rekey&) { return true; },
                          [](const tra::Tile&) { return true; },
                          [&](const tra::Repartition& repartition) {
                            return tra::refines(node.type.key,
                                                graph.at(repartition.input).type.key);
                          },
                          [](const tra::Join&) { return false; },
                          [](const tra::Aggregate&) { return false; },
                          [](const tra::Filter&) { return false; },
                          [](const tra::Transform&) { return false; },
                          [](const tra::Concat&) { return false; },
                          [](const tra::Scan&) { return false; }};
  return std::visit(
      Overload{[](const ia::Bcast&) { return true; }, [](const ia::Shuf&) { return true; },
               [&](const ia::LocalOp& local) { return std::visit(of_local, local.op); }},
      node.op);
}

/// True if a relation is all tiles of one tensor, so that a file can hold it and an input can read
/// it.
bool is_tensor(const tra::RelationType& type) {
  const bool is_whole = type.present == tra::KeySet(tra::AllKeys{}) && !type.rows;
  return is_whole && type.columns.size() == 1 &&
         std::all_of(type.key.begin(), type.key.end(), [&](const tra::KeyDim& dim) {
           return tra::grid_of(dim) != nullptr && tra::has_mode(type, tra::label_of(dim));
         });
}

double bytes_of(const tra::RelationType& type) {
  return tra::tuple_bytes(type) * static_cast<double>(tra::num_tuples(type));
}

/// The positions between the nodes of a graph, in their order. Position p is before node p.
class Positions {
 public:
  explicit Positions(const ia::Graph& graph)
      : graph_(graph),
        tasks_before_(graph.nodes.size() + 1, 0),
        last_read_(graph.nodes.size(), 0),
        bytes_(graph.nodes.size() + 1, 0),
        num_blocking_(graph.nodes.size() + 1, 0) {
    count_tasks();
    count_crossing();
  }

  size_t last() const { return graph_.nodes.size(); }
  int64_t tasks_between(size_t begin, size_t end) const {
    return tasks_before_[end] - tasks_before_[begin];
  }
  /// Returns the bytes that are made before a position and read behind it.
  double bytes_left_at(size_t position) const { return bytes_[position]; }
  /// True if a frame may end here: behind a node that computes, because others belong to their
  /// readers, and before another.
  bool can_cut_at(size_t position) const {
    return position == last() || (num_blocking_[position] == 0 && position <= last_computed_ &&
                                  !is_repeated(graph_, graph_.nodes[position - 1]));
  }
  bool is_read_behind(size_t node, size_t position) const { return last_read_[node] >= position; }

 private:
  void count_tasks() {
    const std::vector<int64_t> tasks = expected_tasks_of_nodes(graph_);
    for (size_t number = 0; number < tasks.size(); ++number) {
      tasks_before_[number + 1] = tasks_before_[number] + tasks[number];
    }
  }

  void count_crossing() {
    for (size_t number = 0; number < graph_.nodes.size(); ++number) {
      for (const NodeId input : ia::inputs_of(graph_.nodes[number].op)) {
        note_read(input, number);
      }
      last_computed_ = is_repeated(graph_, graph_.nodes[number]) ? last_computed_ : number;
    }
    // First the relations that begin and end to cross there, then those that cross.
    for (size_t number = 0; number < last_read_.size(); ++number) {
      const tra::RelationType& type = graph_.nodes[number].type;
      if (last_read_[number] > 0) {
        add_crossing(number + 1, bytes_of(type), is_tensor(type) ? 0 : 1);
        add_crossing(last_read_[number] + 1, -bytes_of(type), is_tensor(type) ? 0 : -1);
      }
    }
    for (size_t position = 1; position <= last(); ++position) {
      add_crossing(position, bytes_[position - 1], num_blocking_[position - 1]);
    }
  }

  void add_crossing(size_t position, double bytes, int blocking) {
    if (position <= last()) {
      bytes_[position] += bytes;
      num_blocking_[position] += blocking;
    }
  }

  /// Notes a read. The reader of a repeated node reads that node's inputs.
  void note_read(NodeId id, size_t reader) {
    if (!is_repeated(graph_, graph_.at(id))) {
      last_read_[id.index()] = std::max(last_read_[id.index()], reader);
      return;
    }
    for (const NodeId input : ia::inputs_of(graph_.at(id).op)) {
      note_read(input, reader);
    }
  }

  const ia::Graph& graph_;
  std::vector<int64_t> tasks_before_;
  std::vector<size_t> last_read_;  // by node: its last reader that computes; 0 for none
  size_t last_computed_ = 0;       // the last node that computes
  std::vector<double> bytes_;      // left, by position
  std::vector<int> num_blocking_;  // relations that no file holds, by position
};

/// The best partition of the nodes before a position: the bytes that its frames leave, and their
/// number.
struct FramePartition {
  double bytes = 0;
  size_t num_frames = 0;
  size_t from = 0;  // beginning of the last frame

  friend bool operator<(const FramePartition& a, const FramePartition& b) {
    return std::tie(a.bytes, a.num_frames) < std::tie(b.bytes, b.num_frames);
  }
};

/// Returns the ends of the frames, in order. If every frame would have too many tasks, takes the
/// shortest.
std::vector<size_t> ends_of_frames(const Positions& positions, int64_t most_tasks) {
  std::vector<std::optional<FramePartition>> partitions(positions.last() + 1);
  partitions[0] = FramePartition();
  for (size_t end = 1; end <= positions.last(); ++end) {
    if (!positions.can_cut_at(end)) {
      continue;
    }
    for (size_t begin = end; begin-- > 0;) {
      if (partitions[end] && positions.tasks_between(begin, end) > most_tasks) {
        break;
      }
      if (partitions[begin]) {
        const FramePartition partition{partitions[begin]->bytes + positions.bytes_left_at(end),
                                       partitions[begin]->num_frames + 1, begin};
        partitions[end] = partitions[end] ? std::min(*partitions[end], partition) : partition;
      }
    }
  }
  std::vector<size_t> ends;
  for (size_t end = positions.last(); end > 0; end = partitions[end]->from) {
    ends.push_back(end);
  }
  std::reverse(ends.begin(), ends.end());
  return ends;
}

/// Returns a name for a result that a node leaves. It has a dot, which users' names lack.
std::string name_left(const ia::Graph& graph, NodeId id) {
  const std::string& statement = graph.at(id).origin.statement;
  return fmt::format("{}.left{}", statement.empty() ? "relation" : statement, id.index());
}

/// A builder of the graph of one frame.
class FrameBuilder {
 public:
  FrameBuilder(const ia::Graph& graph, const Positions& positions, size_t begin, size_t end)
      : graph_(graph), positions_(positions), begin_(begin), end_(end) {
    frame_.placed.num_sites = graph.num_sites;
    frame_.placed.is_reproducible = graph.is_reproducible;
  }

  Frame build() && {
    for (size_t number = begin_; number < end_; ++number) {
      const NodeId id(static_cast<int64_t>(number));
      if (!is_repeated(graph_, graph_.at(id))) {
        at(id);
      }
      if (positions_.is_read_behind(number, end_)) {
        frame_.leaves.push_back(name_left(graph_, id));
        frame_.placed.outputs.push_back({frame_.leaves.back(), at(id)});
      }
    }
    for (const ia::Output& output : graph_.outputs) {
      if (output.node.index() >= begin_ && output.node.index() < end_) {
        frame_.placed.outputs.push_back({output.name, at(output.node)});
      }
    }
    return std::move(frame_);
  }

 private:
  /// Returns the node of the frame that stands for one of the graph.
  NodeId at(NodeId id) {
    const auto known = nodes_.find(id.index());
    if (known != nodes_.end()) {
      return known->second;
    }
    ia::Node node = graph_.at(id);
    if (id.index() < begin_ && !is_repeated(graph_, node)) {
      frame_.reads.push_back(name_left(graph_, id));
      node.op = ia::LocalOp{tra::Input{frame_.reads.back()}};
    } else {
      node.op = with_inputs(node.op);
    }
    frame_.placed.nodes.push_back(std::move(node));
    const NodeId made(static_cast<int64_t>(frame_.placed.nodes.size()) - 1);
    nodes_.emplace(id.index(), made);
    return made;
  }

  ia::Op with_inputs(const ia::Op& op) {
    std::vector<NodeId> inputs;
    for (const NodeId input : ia::inputs_of(op)) {
      inputs.push_back(at(input));
    }
    return std::visit(
        Overload{[&](const ia::LocalOp& local) -> ia::Op { return ia::with_inputs(local, inputs); },
                 [&](const ia::Bcast&) -> ia::Op { return ia::Bcast{inputs[0]}; },
                 [&](const ia::Shuf& shuffle) -> ia::Op {
                   return ia::Shuf{inputs[0], shuffle.to};
                 }},
        op);
  }

  const ia::Graph& graph_;
  const Positions& positions_;
  size_t begin_;
  size_t end_;
  std::map<size_t, NodeId> nodes_;  // frame's node by number in the graph
  Frame frame_;
};

}  // namespace

std::vector<Frame> frames_of(const ia::Graph& graph, int64_t most_tasks) {
  const Positions positions(graph);
  std::vector<Frame> frames;
  size_t begin = 0;
  for (const size_t end : ends_of_frames(positions, most_tasks)) {
    frames.push_back(FrameBuilder(graph, positions, begin, end).build());
    begin = end;
  }
  return frames;
}

}  // namespace tessera::plan
