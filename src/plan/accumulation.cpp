#include "plan/accumulation.h"

#include <algorithm>

namespace tessera::plan {

bool accumulates(const tra::Join& join, const tra::Aggregate& aggregate) {
  const expr::Reduce* last = expr::reduction_of(join.kernel->statements.back());
  return aggregate.order == tra::MergeOrder::sequence && last != nullptr &&
         last->monoid == aggregate.monoid;
}

int64_t num_chains(const tra::Aggregate& aggregate, const tra::RelationType& result,
                   double bytes_read, int64_t num_calls) {
  constexpr int64_t kFewestCalls = 16;  // of a chain: then merging is a small part
  constexpr int64_t kMostChains = 64;   // of all groups: more cores are rare
  constexpr double kCallOverTiles = 8;  // in bytes: little more is held when memory is short
  const int64_t num_groups = std::max<int64_t>(1, tra::num_tuples(result));
  const double in_memory = bytes_read / (kCallOverTiles * std::max(1.0, tra::tuple_bytes(result)));
  const auto fitting = static_cast<int64_t>(std::min<double>(in_memory, kMostChains));
  const int64_t most =
      std::min({num_calls / num_groups / kFewestCalls, kMostChains / num_groups, fitting});
  return aggregate.monoid.is_commutative ? std::max<int64_t>(1, most) : 1;
}

size_t num_chains(const ia::Graph& graph, ia::NodeId id, size_t num_calls) {
  const ia::Node& node = graph.at(id);
  const auto& aggregate = std::get<tra::Aggregate>(*ia::local_op(node));
  const auto& join = std::get<tra::Join>(*ia::local_op(graph.at(aggregate.input)));
  const double bytes = bytes_read(
      join, [&](tra::NodeId input) -> const auto& { return graph.at(input).type; });
  return graph.is_reproducible ? 1
                               : static_cast<size_t>(num_chains(aggregate, node.type, bytes,
                                                                static_cast<int64_t>(num_calls)));
}

std::vector<bool> accumulating_joins(const ia::Graph& graph) {
  const std::vector<int> readers = ia::num_readers(graph);
  std::vector<bool> accumulating(graph.nodes.size(), false);
  for (const ia::Node& node : graph.nodes) {
    const tra::Op* op = ia::local_op(node);
    const auto* aggregate = op == nullptr ? nullptr : std::get_if<tra::Aggregate>(op);
    if (aggregate == nullptr || readers[aggregate->input.index()] != 1) {
      continue;
    }
    const tra::Op* input = ia::local_op(graph.at(aggregate->input));
    const auto* join = input == nullptr ? nullptr : std::get_if<tra::Join>(input);
    accumulating[aggregate->input.index()] = join != nullptr && accumulates(*join, *aggregate);
  }
  return accumulating;
}

}  // namespace tessera::plan
