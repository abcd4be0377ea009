#include "ir/ia/verify.h"

#include <fmt/format.h>

#include "base/problems.h"
#include "ir/ia/placement_of.h"
#include "ir/tra/infer.h"
#include "ir/tra/stated_order.h"
#include "ir/tra/text_relation.h"
#include "ir/tra/verify.h"

namespace tessera::ia {

namespace {

/// Checks that a move leaves the relation unchanged.
Problems verify_moved(const tra::RelationType& type, const tra::RelationType& input) {
  if (type == input) {
    return tra::verify_type(type);
  }
  return {fmt::format("its type is given as {} but follows as {}", tra::type_text(type),
                      tra::type_text(input))};
}

Problems verify_placement(const Graph& graph, const Node& node) {
  Problems problems = verify(node.placement, node.type.key, graph.num_sites);
  if (const auto* shuf = std::get_if<Shuf>(&node.op); shuf != nullptr && problems.empty()) {
    problems = verify(shuf->to, node.type.key, graph.num_sites);
  }
  if (const auto* local = std::get_if<LocalOp>(&node.op); local != nullptr && problems.empty()) {
    problems = verify_made_at(*local, node.type.key, graph.num_sites);
  }
  if (!problems.empty()) {
    return problems;
  }
  if (graph.num_sites == 1 && node.placement != Placement(Everywhere{})) {
    return {"its placement is not everywhere, as all is on one site"};
  }
  const tra::Op* op = local_op(node);
  if (op != nullptr && std::holds_alternative<tra::Input>(*op)) {
    return {};
  }
  const OrRefusal<Placement> inferred = placement_of(graph, node.op, node.type);
  if (!inferred) {
    return {inferred.reason()};
  }
  if (!lie_alike(node.placement, *inferred, node.type.key, graph.num_sites)) {
    return {fmt::format("its placement is given as {} but follows as {}", to_string(node.placement),
                        to_string(*inferred))};
  }
  return {};
}

}  // namespace

std::vector<std::string> verify_made_at(const LocalOp& local, const std::vector<tra::KeyDim>& key,
                                        int64_t num_sites) {
  if (!local.at) {
    return {};
  }
  if (std::holds_alternative<tra::Input>(local.op)) {
    return {"an input is made nowhere: it lies where its placement says"};
  }
  if (num_sites == 1) {
    return {"it names the site where it is made, but all is on one site"};
  }
  if (!is_one_copy(*local.at)) {
    return {fmt::format("it is made {}, but one site makes a tuple", to_string(*local.at))};
  }
  return verify(*local.at, key, num_sites);
}

std::vector<std::string> verify(const Graph& graph, const expr::FunctionRegistry& functions) {
  if (graph.num_sites < 1 || graph.num_sites > kMostSites) {
    return {fmt::format("there are {} sites", graph.num_sites)};
  }
  std::vector<tra::NodeInOrder> nodes;
  std::vector<std::pair<std::string, const tra::RelationType*>> inputs;
  for (const Node& node : graph.nodes) {
    nodes.push_back({inputs_of(node.op), &node.origin});
    const tra::Op* op = local_op(node);
    if (const auto* input = op == nullptr ? nullptr : std::get_if<tra::Input>(op)) {
      inputs.emplace_back(input->name, &node.type);
    }
  }
  const tra::Relations relations = tra::relations_of(graph);
  const tra::Makers makers = [&](NodeId id) {
    while (local_op(graph.at(id)) == nullptr) {
      id = inputs_of(graph.at(id).op)[0];  // it only moves tuples
    }
    return tra::Maker{id, local_op(graph.at(id))};
  };
  const auto verify_node = [&](NodeId id) {
    const Node& node = graph.at(id);
    const tra::Op* op = local_op(node);
    Problems problems = op == nullptr
                            ? verify_moved(node.type, graph.at(inputs_of(node.op)[0]).type)
                            : tra::verify_relation(*op, node.type, relations, functions);
    if (problems.empty() && op != nullptr) {
      problems = tra::verify_absence(*op, makers, relations, functions);
    }
    return problems.empty() ? verify_placement(graph, node) : problems;
  };
  Problems problems = tra::verify_in_order(nodes, graph.outputs, verify_node);
  for (std::string& problem : tra::verify_inputs(inputs)) {
    problems.push_back(std::move(problem));
  }
  if (problems.empty()) {
    problems = tra::verify_results(graph.outputs, makers, relations);
  }
  return problems;
}

std::vector<std::string> verify_order(const Graph& graph,
                                      const expr::AggregateRegistry& aggregates) {
  Problems problems;
  for (size_t number = 0; graph.is_reproducible && number < graph.nodes.size(); ++number) {
    const Node& node = graph.nodes[number];
    const tra::Op* op = local_op(node);
    for (const std::string& problem :
         op == nullptr ? Problems{} : tra::problems_of_order(*op, node.type, aggregates)) {
      problems.push_back(fmt::format("node %{} ({}): {}", number, node.origin.statement, problem));
    }
  }
  return problems;
}

}  // namespace tessera::ia
