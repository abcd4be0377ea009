#include "optimizer/lowering/to_ia.h"

#include <optional>
#include <utility>

#include "base/error.h"
#include "ir/ia/placement_of.h"
#include "ir/tra/infer.h"
#include "ir/tra/keys.h"

namespace tessera::optimizer {

namespace {

std::vector<std::string> labels_of(const std::vector<tra::KeyDim>& key) {
  std::vector<std::string> labels;
  for (const tra::KeyDim& dim : key) {
    labels.push_back(tra::label_of(dim));
  }
  return labels;
}

/// Of all tuples that there are.
double relation_bytes(const tra::RelationType& type) {
  return static_cast<double>(tra::num_tuples(type)) * tra::tuple_bytes(type);
}

class IaLowering {
 public:
  IaLowering(const tra::Graph& graph, int64_t num_sites) : from_(graph) {
    to_.num_sites = num_sites;
    to_.is_reproducible = graph.is_reproducible;
    to_.nodes.reserve(graph.nodes.size());
  }

  ia::Graph run() && {
    for (const tra::Node& node : from_.nodes) {
      node_of_.push_back(std::visit([&](const auto& op) { return translate(node, op); }, node.op));
    }
    for (const tra::Output& output : from_.outputs) {
      to_.outputs.push_back({output.name, at(output.node)});
    }
    return std::move(to_);
  }

 private:
  using NodeId = ia::NodeId;
  using KeySpace = std::vector<tra::KeyDim>;

  NodeId at(tra::NodeId id) const { return node_of_[id.index()]; }
  const KeySpace& key_of(NodeId id) const { return to_.at(id).type.key; }

  NodeId add(ia::Op op, tra::RelationType type, ia::Placement placement, const Origin& origin) {
    to_.nodes.push_back({std::move(op), std::move(type), std::move(placement), origin});
    return NodeId(static_cast<int64_t>(to_.nodes.size()) - 1);
  }

  NodeId broadcast(NodeId node, const Origin& origin) {
    if (ia::is_everywhere(to_.at(node).placement)) {
      return node;
    }
    return add(ia::Bcast{node}, to_.at(node).type, ia::Everywhere{}, origin);
  }

  NodeId shuffled(NodeId node, const ia::Placement& placement, const Origin& origin) {
    return add(ia::Shuf{node, placement}, to_.at(node).type, placement, origin);
  }

  /// Sites in turn for the tuples of a key; on one site all lies everywhere.
  ia::Placement in_turn(const KeySpace& key) const {
    return to_.num_sites == 1 ? ia::Placement(ia::Everywhere{})
                              : ia::in_turn(labels_of(key), key, to_.num_sites);
  }

  /// The operator where its inputs lie, if it can be done there.
  std::optional<NodeId> local(tra::Op op, const tra::RelationType& type, const Origin& origin) {
    ia::Op here = ia::LocalOp{std::move(op)};
    OrRefusal<ia::Placement> inferred = ia::placement_of(to_, here, type);
    return inferred ? std::optional(add(std::move(here), type, std::move(*inferred), origin))
                    : std::nullopt;
  }

  /// The same for an operator that can be, unless a table of sites would be too large.
  NodeId surely_local(tra::Op op, const tra::RelationType& type, const Origin& origin) {
    ia::Op here = ia::LocalOp{std::move(op)};
    OrRefusal<ia::Placement> inferred = ia::placement_of(to_, here, type);
    refuse(inferred, origin);
    return add(std::move(here), type, std::move(*inferred), origin);
  }

  static void refuse(const OrRefusal<ia::Placement>& inferred, const Origin& origin) {
    if (!inferred) {
      throw_error(ErrorKind::unsupported, "{} on several sites: {}", to_string(origin),
                  inferred.reason());
    }
  }

  // ---- one function per operator

  NodeId translate(const tra::Node& node, const tra::Input& input) {
    return add(ia::LocalOp{input}, node.type, in_turn(node.type.key), node.origin);
  }

  NodeId translate(const tra::Node& node, const tra::Join& join) {
    std::vector<NodeId> inputs;
    size_t stays = 0;
    for (size_t input = 0; input < join.inputs.size(); ++input) {
      inputs.push_back(at(join.inputs[input]));
      if (relation_bytes(to_.at(inputs[input]).type) > relation_bytes(to_.at(inputs[stays]).type)) {
        stays = input;
      }
    }
    if (const auto joined = local(tra::with_inputs(join, inputs), node.type, node.origin)) {
      return *joined;
    }
    for (size_t input = 0; input < inputs.size(); ++input) {
      if (input != stays) {
        inputs[input] = broadcast(inputs[input], node.origin);
      }
    }
    return surely_local(tra::with_inputs(join, inputs), node.type, node.origin);
  }

  NodeId translate(const tra::Node& node, const tra::Aggregate& aggregate) {
    return merged(aggregate, at(aggregate.input), node.type, node.origin);
  }
  NodeId translate(const tra::Node& node, const tra::Concat& concat) {
    return merged(concat, at(concat.input), node.type, node.origin);
  }

  /// Merges tuples where they lie, or after a shuffle to the sites that the results get in turn.
  NodeId merged(const tra::Op& op, NodeId input, const tra::RelationType& type,
                const Origin& origin) {
    if (const auto result = local(tra::with_inputs(op, {input}), type, origin)) {
      return *result;
    }
    const OrRefusal<ia::Placement> wanted =
        ia::placement_of_pieces(in_turn(type.key), type.key, key_of(input), to_.num_sites);
    refuse(wanted, origin);
    const NodeId moved = shuffled(input, *wanted, origin);
    return surely_local(tra::with_inputs(op, {moved}), type, origin);
  }

  /// Tuples that get one key, of which a filter has left out all but one, have to lie together.
  NodeId translate(const tra::Node& node, const tra::Rekey& rekey) {
    const NodeId input = at(rekey.input);
    if (const auto result = local(tra::with_inputs(rekey, {input}), node.type, node.origin)) {
      return *result;
    }
    const std::vector<int32_t> sites =
        ia::sites_of(in_turn(node.type.key), node.type.key, to_.num_sites);
    std::vector<int32_t> wanted;
    for (const tra::Key& key : tra::all_keys(key_of(input))) {
      const tra::Key new_key = tra::mapped_key(key_of(input), key, rekey.key);
      wanted.push_back(sites[tra::number_of(new_key, node.type.key)]);
    }
    const NodeId moved = shuffled(input, ia::ByTable{std::move(wanted)}, node.origin);
    return surely_local(tra::with_inputs(rekey, {moved}), node.type, node.origin);
  }

  NodeId translate(const tra::Node& node, const tra::Filter& filter) {
    return surely_local(tra::with_inputs(filter, {at(filter.input)}), node.type, node.origin);
  }
  NodeId translate(const tra::Node& node, const tra::Transform& transform) {
    return surely_local(tra::with_inputs(transform, {at(transform.input)}), node.type, node.origin);
  }
  NodeId translate(const tra::Node& node, const tra::Tile& tile) {
    return surely_local(tra::with_inputs(tile, {at(tile.input)}), node.type, node.origin);
  }

  /// Cuts into the boxes that both grids share, and pastes them; a step that changes nothing is
  /// left out.
  NodeId translate(const tra::Node& node, const tra::Repartition& repartition) {
    NodeId boxes = at(repartition.input);
    const KeySpace fine = tra::common_refinement(key_of(boxes), repartition.key);
    if (fine != key_of(boxes)) {
      const tra::Repartition cut{boxes, fine};
      boxes = surely_local(cut, tra::infer_type(cut, tra::relations_of(to_)), node.origin);
    }
    return fine == repartition.key
               ? boxes
               : merged(tra::Repartition{boxes, repartition.key}, boxes, node.type, node.origin);
  }

  const tra::Graph& from_;
  ia::Graph to_;
  std::vector<NodeId> node_of_;
};

}  // namespace

ia::Graph to_ia(const tra::Graph& graph, int64_t num_sites) {
  return IaLowering(graph, num_sites).run();
}

}  // namespace tessera::optimizer
