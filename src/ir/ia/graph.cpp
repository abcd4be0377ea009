#include "ir/ia/graph.h"

#include <utility>

namespace tessera::ia {

std::vector<NodeId> inputs_of(const Op& op) {
  struct Reader {
    std::vector<NodeId> operator()(const LocalOp& local) const { return tra::inputs_of(local.op); }
    std::vector<NodeId> operator()(const Bcast& bcast) const { return {bcast.input}; }
    std::vector<NodeId> operator()(const Shuf& shuf) const { return {shuf.input}; }
  };
  return std::visit(Reader{}, op);
}

LocalOp with_inputs(LocalOp local, const std::vector<NodeId>& inputs) {
  local.op = tra::with_inputs(std::move(local.op), inputs);
  return local;
}

std::vector<int> num_readers(const Graph& graph) {
  std::vector<int> readers(graph.nodes.size(), 0);
  for (const Node& node : graph.nodes) {
    for (const NodeId input : inputs_of(node.op)) {
      ++readers[input.index()];
    }
  }
  for (const Output& output : graph.outputs) {
    ++readers[output.node.index()];
  }
  return readers;
}

const tra::Op* local_op(const Node& node) {
  const auto* local = std::get_if<LocalOp>(&node.op);
  return local == nullptr ? nullptr : &local->op;
}

}  // namespace tessera::ia
