#include "optimizer/ia/nodes.h"

#include <functional>
#include <utility>

#include "ir/ia/placement_of.h"

namespace tessera::optimizer::rewrite {

namespace {

void mix(size_t& hash, size_t value) {
  hash ^= value + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
}

}  // namespace

void Nodes<ia::Graph>::set_inputs(Node& node, const std::vector<Id>& ids) {
  struct Setter {
    const std::vector<Id>& ids;
    void operator()(ia::LocalOp& local) const {
      local.op = tra::with_inputs(std::move(local.op), ids);
    }
    void operator()(ia::Bcast& bcast) const { bcast.input = ids[0]; }
    void operator()(ia::Shuf& shuf) const { shuf.input = ids[0]; }
  };
  std::visit(Setter{ids}, node.op);
}

std::vector<ia::NodeId> Nodes<ia::Graph>::outputs(const ia::Graph& graph) {
  std::vector<Id> outputs;
  for (const ia::Output& output : graph.outputs) {
    outputs.push_back(output.node);
  }
  return outputs;
}

ia::Graph Nodes<ia::Graph>::like(const ia::Graph& graph, const std::vector<Id>& outputs) {
  ia::Graph made;
  made.num_sites = graph.num_sites;
  made.is_reproducible = graph.is_reproducible;
  for (size_t number = 0; number < outputs.size(); ++number) {
    made.outputs.push_back({graph.outputs[number].name, outputs[number]});
  }
  return made;
}

Settled Nodes<ia::Graph>::settle(const ia::Graph& graph, Node& node) {
  const tra::Op* op = ia::local_op(node);
  if (op != nullptr && std::holds_alternative<tra::Input>(*op)) {
    return {};
  }
  OrRefusal<ia::Placement> inferred = ia::placement_of(graph, node.op, node.type);
  if (!inferred) {
    return {inferred.reason()};
  }
  const bool has_moved = node.placement != *inferred;
  node.placement = std::move(*inferred);
  return {"", has_moved};
}

const std::string* Nodes<ia::Graph>::source(const Node& node) {
  const tra::Op* op = ia::local_op(node);
  const auto* input = op == nullptr ? nullptr : std::get_if<tra::Input>(op);
  return input == nullptr ? nullptr : &input->name;
}

/// Rewrites of one program differ in the inputs of nodes, their placements and keys, and not in
/// kernels alone. The statement is left out: two may move the same tuples.
size_t Nodes<ia::Graph>::hash(const Node& node) {
  size_t hash = hash_anywhere(node);
  mix(hash, ia::hash_of(node.placement));
  return hash;
}

size_t Nodes<ia::Graph>::hash_anywhere(const Node& node) {
  size_t hash = node.op.index();
  if (const tra::Op* op = ia::local_op(node)) {
    mix(hash, op->index());
  }
  for (const ia::NodeId input : ia::inputs_of(node.op)) {
    mix(hash, input.index());
  }
  for (const tra::KeyDim& dim : node.type.key) {
    mix(hash, std::hash<std::string>()(tra::label_of(dim)));
    mix(hash, static_cast<size_t>(tra::num_keys(dim)));
  }
  return hash;
}

}  // namespace tessera::optimizer::rewrite
