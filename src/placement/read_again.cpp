#include "placement/read_again.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/byte_size.h"
#include "ir/tra/keys.h"
#include "machine/file_cost.h"
#include "optimizer/ia/communication.h"
#include "optimizer/ia/moves.h"
#include "optimizer/ia/nodes.h"
#include "plan/lineage.h"
#include "types/array_type.h"

namespace tessera::placement {

namespace {

const tra::Input* input_of(const ia::Node& node) {
  const tra::Op* op = ia::local_op(node);
  return op == nullptr ? nullptr : std::get_if<tra::Input>(op);
}

/// True if one site reads all tiles of an input in less time than it gets them from others.
bool is_read_sooner(const tra::Input& input, const tra::RelationType& type,
                    const Machine& machine) {
  const ArrayType tensor = tra::arrays_of(type).front();
  const FileArray file{tensor.shape, size_of(tensor.dtype), input.order};
  double read_seconds = 0;
  double moved_seconds = 0;
  for (const tra::Key& key : tra::all_keys(type.key)) {
    const Shape extent = plan::box_of(type.columns.front(), type.key, key).extent;
    read_seconds += file_estimate(file, extent, FileDirection::read, machine.files).seconds;
    moved_seconds +=
        machine.links.network.seconds(static_cast<double>(size_in_bytes({tensor.dtype, extent})));
  }
  return read_seconds < moved_seconds;
}

/// Returns the input that a node moves, if its sites should read it instead.
std::optional<ia::NodeId> read_instead(const ia::Graph& graph, const ia::Node& node,
                                       const std::vector<int>& readers, const Machine& machine) {
  const std::optional<ia::NodeId> moved = optimizer::moved_by(node);
  if (!moved || readers[moved->index()] != 1) {
    return std::nullopt;
  }
  const ia::Node& from = graph.at(*moved);
  const tra::Input* input = input_of(from);
  const bool is_countable = tra::num_tuples(from.type) <= tra::kMostTuples;
  const bool is_sooner = input != nullptr && !from.type.rows && is_countable &&
                         is_read_sooner(*input, from.type, machine);
  return is_sooner ? moved : std::nullopt;
}

/// A copy of a graph, node by node.
class Rewriter {
 public:
  using Nodes = optimizer::rewrite::Nodes<ia::Graph>;

  explicit Rewriter(const ia::Graph& graph) : from_(graph), new_ids_(graph.nodes.size()) {
    result_.graph = Nodes::like(graph, Nodes::outputs(graph));
  }

  void keep(size_t number) {
    ia::Node node = from_.nodes[number];
    std::vector<ia::NodeId> inputs = ia::inputs_of(node.op);
    for (ia::NodeId& input : inputs) {
      input = new_ids_[input.index()];
    }
    Nodes::set_inputs(node, inputs);
    add(number, std::move(node));
  }

  /// Reads the input that a node moves at the node's placement.
  void read(size_t number, ia::NodeId input) {
    ia::Node node = from_.at(input);
    node.placement = from_.nodes[number].placement;
    const double bytes = optimizer::Communication().moved_bytes(
        from_.at(input).placement, node.placement, node.type, from_.num_sites);
    result_.notes.push_back(fmt::format("{} is read by every site that needs it: {} do not move",
                                        input_of(node)->name,
                                        byte_size_text(static_cast<int64_t>(bytes))));
    add(number, std::move(node));
  }

  ReadAgain take() && {
    for (ia::Output& output : result_.graph.outputs) {
      output.node = new_ids_[output.node.index()];
    }
    return std::move(result_);
  }

 private:
  void add(size_t number, ia::Node node) {
    new_ids_[number] = ia::NodeId(static_cast<int64_t>(result_.graph.nodes.size()));
    result_.graph.nodes.push_back(std::move(node));
  }

  const ia::Graph& from_;
  std::vector<ia::NodeId> new_ids_;
  ReadAgain result_;
};

}  // namespace

ReadAgain read_again(const ia::Graph& graph, const Machine& machine) {
  const std::vector<int> readers = ia::num_readers(graph);
  std::vector<std::optional<ia::NodeId>> instead;
  std::vector<bool> is_left_out(graph.nodes.size(), false);
  for (const ia::Node& node : graph.nodes) {
    instead.push_back(read_instead(graph, node, readers, machine));
    if (instead.back()) {
      is_left_out[instead.back()->index()] = true;
    }
  }
  Rewriter rewriter(graph);
  for (size_t number = 0; number < graph.nodes.size(); ++number) {
    if (instead[number]) {
      rewriter.read(number, *instead[number]);
    } else if (!is_left_out[number]) {
      rewriter.keep(number);
    }
  }
  return std::move(rewriter).take();
}

}  // namespace tessera::placement
