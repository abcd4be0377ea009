#include "optimizer/lowering/to_ia.h"

#include <utility>

#include "ir/ia/placement_of.h"
#include "ir/tra/infer.h"
#include "optimizer/lowering/ia_builder.h"

namespace tessera::optimizer {

namespace {

class IaLowering {
 public:
  IaLowering(const tra::Graph& graph, int64_t num_sites, const Wishes& wishes)
      : from_(graph),
        wishes_(wishes),
        num_sites_(num_sites),
        to_(num_sites, graph.is_reproducible, graph.nodes.size()) {}

  ia::Graph run() && {
    for (const tra::Node& node : from_.nodes) {
      wish_ = wishes_.empty() ? &nothing_ : &wishes_[node_of_.size()];
      node_of_.push_back(std::visit([&](const auto& op) { return translate(node, op); }, node.op));
    }
    std::vector<ia::Output> outputs;
    for (const tra::Output& output : from_.outputs) {
      outputs.push_back({output.name, at(output.node)});
    }
    return std::move(to_).take(std::move(outputs));
  }

 private:
  using NodeId = ia::NodeId;

  NodeId at(tra::NodeId id) const { return node_of_[id.index()]; }
  const ia::Node& node_at(NodeId id) const { return to_.graph().at(id); }

  /// Returns the requested placement of a key's tuples, or sites in turn.
  ia::Placement target(const std::vector<tra::KeyDim>& key) const {
    return wish_->at && num_sites_ > 1 ? *wish_->at : to_.in_turn(key);
  }

  // ---- one function per operator

  NodeId translate(const tra::Node& node, const tra::Input& input) {
    return to_.add(ia::LocalOp{input}, node.type, target(node.type.key), node.origin);
  }

  NodeId translate(const tra::Node& node, const tra::Join& join) {
    if (!wish_->operands.empty()) {
      if (const auto joined = joined_as_wished(node, join)) {
        return *joined;
      }
    }
    return joined_around_largest(node, join);
  }

  /// Places a scan that walks at its tiles.
  NodeId translate(const tra::Node& node, const tra::Scan& scan) {
    return scan.walks() ? joined_around_largest(node, scan)
                        : to_.translated(scan, at(scan.input), node, target(node.type.key));
  }

  /// Adds an operator on tuples that meet: at its inputs if they lie together, else at its largest.
  NodeId joined_around_largest(const tra::Node& node, const tra::Op& join) {
    std::vector<NodeId> inputs;
    size_t stays = 0;
    for (const tra::NodeId input : tra::inputs_of(join)) {
      inputs.push_back(at(input));
      if (relation_bytes(node_at(inputs.back()).type) >
          relation_bytes(node_at(inputs[stays]).type)) {
        stays = inputs.size() - 1;
      }
    }
    if (const auto joined = to_.local(tra::with_inputs(join, inputs), node.type, node.origin)) {
      return *joined;
    }
    for (size_t input = 0; input < inputs.size(); ++input) {
      if (input != stays) {
        inputs[input] = to_.broadcast(inputs[input], node.origin);
      }
    }
    return to_.surely_local(tra::with_inputs(join, inputs), node.type, node.origin);
  }

  /// Adds a join on the requested sites, with its inputs brought there; nothing if that is
  /// impossible.
  std::optional<NodeId> joined_as_wished(const tra::Node& node, const tra::Join& join) {
    std::vector<NodeId> inputs;
    for (size_t input = 0; input < join.inputs.size(); ++input) {
      inputs.push_back(brought(at(join.inputs[input]), wish_->operands[input], node.origin));
    }
    ia::LocalOp joined{tra::with_inputs(join, inputs), {}};
    const OrRefusal<ia::Placement> inferred = ia::placement_of(to_.graph(), joined, node.type);
    if (inferred && wish_->at && !ia::lie_alike(*wish_->at, *inferred, node.type.key, num_sites_)) {
      joined.at = wish_->at;
    }
    OrRefusal<ia::Placement> made = ia::placement_of(to_.graph(), joined, node.type);
    return made
               ? std::optional(to_.add(std::move(joined), node.type, std::move(*made), node.origin))
               : std::nullopt;
  }

  /// Returns the tuples of a node at a placement. Several readers may share the move.
  NodeId brought(NodeId node, const ia::Placement& wanted, const Origin& origin) {
    const ia::Node& lying = node_at(node);
    if (ia::is_everywhere(lying.placement) || lying.placement == wanted ||
        ia::lie_alike(lying.placement, wanted, lying.type.key, num_sites_)) {
      return node;
    }
    return ia::is_everywhere(wanted) ? to_.broadcast(node, origin)
                                     : to_.shuffled(node, wanted, origin);
  }

  NodeId translate(const tra::Node& node, const tra::Aggregate& aggregate) {
    return to_.merged(aggregate, merged_in_runs(node, aggregate), node.type, target(node.type.key),
                      node.origin);
  }

  /// Returns the input of an aggregate, with runs on one site merged if the request says so.
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
    const tra::RelationType type = tra::infer_type(partial, tra::relations_of(to_.graph()));
    return to_.local(partial, type, node.origin).value_or(input);
  }

  template <class Op>
  NodeId translate(const tra::Node& node, const Op& op) {
    return to_.translated(op, at(op.input), node, target(node.type.key));
  }

  const tra::Graph& from_;
  const Wishes& wishes_;
  const Wish nothing_;
  const Wish* wish_ = &nothing_;  // of the current node
  int64_t num_sites_;
  IaBuilder to_;
  std::vector<NodeId> node_of_;
};

}  // namespace

ia::Graph to_ia(const tra::Graph& graph, int64_t num_sites, const Wishes& wishes) {
  return IaLowering(graph, num_sites, wishes).run();
}

}  // namespace tessera::optimizer
