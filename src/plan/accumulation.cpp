#include "plan/accumulation.h"

namespace tessera::plan {

bool accumulates(const tra::Join& join, const tra::Aggregate& aggregate) {
  const expr::Reduce* last = expr::reduction_of(join.kernel->statements.back());
  return aggregate.order == tra::MergeOrder::sequence && last != nullptr &&
         last->monoid == aggregate.monoid;
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
