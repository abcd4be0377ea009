#include "ir/ia/graph.h"

namespace tessera::ia {

std::vector<NodeId> inputs_of(const Op& op) {
  struct Reader {
    std::vector<NodeId> operator()(const Source&) const { return {}; }
    std::vector<NodeId> operator()(const Bcast& bcast) const { return {bcast.input}; }
    std::vector<NodeId> operator()(const Shuf& shuf) const { return {shuf.input}; }
    std::vector<NodeId> operator()(const LocalJoin& join) const { return join.inputs; }
    std::vector<NodeId> operator()(const LocalAggregate& aggregate) const {
      return {aggregate.input};
    }
    std::vector<NodeId> operator()(const LocalFilter& filter) const { return {filter.input}; }
    std::vector<NodeId> operator()(const LocalMap& map) const { return {map.input}; }
  };
  return std::visit(Reader{}, op);
}

std::vector<ir::NamedOutput> named_outputs(const Graph& graph) {
  std::vector<ir::NamedOutput> outputs;
  for (const Output& output : graph.outputs) {
    outputs.push_back({output.name, output.node.value});
  }
  return outputs;
}

}  // namespace tessera::ia
