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
  IaLowering(const tra::Graph& graph, int64_t num_sites, const Wishes& wishes)
      : from_(graph), wishes_(wishes) {
    to_.num_sites = num_sites;
    to_.is_reproducible = graph.is_reproducible;
    to_.nodes.reserve(graph.nodes.size());
  }

  ia::Graph run() && {
    for (const tra::Node& node : from_.nodes) {
      wish_ = wishes_.empty() ? &nothing_ : &wishes_[node_of_.size()];
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

  /// Where the tuples of a key are wished, or sites in turn.
  ia::Placement target(const KeySpace& key) const {
    return wish_->at && to_.num_sites > 1 ? *wish_->at : in_turn(key);
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
    return add(ia::LocalOp{input}, node.type, target(node.type.key), node.origin);
  }

  NodeId translate(const tra::Node& node, const tra::Join& join) {
    if (!wish_->operands.empty()) {
      if (const auto joined = joined_as_wished(node, join)) {
        return *joined;
      }
    }
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

  /// A join on the sites that are wished, its inputs brought there; nothing where that cannot be.
  std::optional<NodeId> joined_as_wished(const tra::Node& node, const tra::Join& join) {
    std::vector<NodeId> inputs;
    for (size_t input = 0; input < join.inputs.size(); ++input) {
      inputs.push_back(brought(at(join.inputs[input]), wish_->operands[input], node.origin));
    }
    ia::LocalOp joined{tra::with_inputs(join, inputs), {}};
    const OrRefusal<ia::Placement> inferred = ia::placement_of(to_, joined, node.type);
    if (inferred && wish_->at &&
        !ia::lie_alike(*wish_->at, *inferred, node.type.key, to_.num_sites)) {
      joined.at = wish_->at;
    }
    OrRefusal<ia::Placement> made = ia::placement_of(to_, joined, node.type);
    return made ? std::optional(add(std::move(joined), node.type, std::move(*made), node.origin))
                : std::nullopt;
  }

  /// The tuples of a node where a placement wants them, which several readers may.
  NodeId brought(NodeId node, const ia::Placement& wanted, const Origin& origin) {
    const ia::Node& lying = to_.at(node);
    if (ia::is_everywhere(lying.placement) || lying.placement == wanted ||
        ia::lie_alike(lying.placement, wanted, lying.type.key, to_.num_sites)) {
      return node;
    }
    if (ia::is_everywhere(wanted)) {
      return broadcast(node, origin);
    }
    return shuffled(node, wanted, origin);
  }

  NodeId translate(const tra::Node& node, const tra::Aggregate& aggregate) {
    return merged(aggregate, merged_in_runs(node, aggregate), node.type, node.origin);
  }

  /// The input of an aggregate, what lies together of it merged where the wish says so.
  NodeId merged_in_runs(const tra::Node& node, const tra::Aggregate& aggregate) {
    const NodeId input = at(aggregate.input);
    if (wish_->partial.empty()) {
      return input;
    }
    tra::Aggregate partial = aggregate;
    partial.input = input;
    for (const tra::DenseDim& dim : wish_->partial) {
      partial.keep.push_back(dim.label);
      partial.coarser.push_back(dim);
    }
    const tra::RelationType type = tra::infer_type(partial, tra::relations_of(to_));
    return local(partial, type, node.origin).value_or(input);
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
        ia::placement_of_pieces(target(type.key), type.key, key_of(input), to_.num_sites);
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
  const Wishes& wishes_;
  const Wish nothing_;
  const Wish* wish_ = &nothing_;  // of the node that is translated
  ia::Graph to_;
  std::vector<NodeId> node_of_;
};

}  // namespace

ia::Graph to_ia(const tra::Graph& graph, int64_t num_sites, const Wishes& wishes) {
  return IaLowering(graph, num_sites, wishes).run();
}

}  // namespace tessera::optimizer
