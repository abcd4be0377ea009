#include "ir/tra/text.h"

#include "base/error.h"
#include "ir/graph_lines.h"
#include "ir/tra/text_monoid.h"
#include "ir/tra/text_operator.h"
#include "ir/tra/text_relation.h"
#include "ir/tra/verify.h"

namespace tessera::tra {

namespace {

using ir::Description;
using ir::Field;

class GraphReader {
 public:
  GraphReader(const SourceText& source, const expr::FunctionRegistry& functions,
              const expr::AggregateRegistry& aggregates)
      : source_(source), operators_(source, functions, aggregates) {}

  Graph run() && {
    const ir::Document document = ir::parse_stage(source_, "tra");
    for (const Field& setting : document.settings) {
      read_setting(setting);
    }
    const auto add_node = [&](const Description& line) { read_node(line); };
    for (const ir::NamedOutput& output : ir::read_lines(source_, document.nodes, add_node)) {
      graph_.outputs.push_back({output.name, NodeId(output.node)});
    }
    return std::move(graph_);
  }

 private:
  void read_setting(const Field& setting) {
    if (setting.name == "reproducible") {
      graph_.is_reproducible = ir::read_reproducible(source_, setting);
    } else if (setting.name == "aggregate") {
      operators_.define_aggregate(setting);
    } else {
      ir::fail_at(source_, setting.span, "a tra graph has no such setting",
                  "reproducible=yes, aggregate={...}");
    }
  }

  void read_node(const Description& line) {
    const Relations relations = relations_of(graph_);
    const std::optional<RelationType> given = read_line_type(source_, line);
    Op op = operators_.read(line, given, relations, static_cast<int64_t>(graph_.nodes.size()));
    RelationType type = operators_.type_of(line, op, given, relations);
    operators_.check_type(line, given, type);
    graph_.nodes.push_back({std::move(op), std::move(type), parse_origin(line.comment)});
  }

  const SourceText& source_;
  OperatorReader operators_;
  Graph graph_;
};

}  // namespace

ir::Document describe(const Graph& graph, const expr::AggregateRegistry& aggregates) {
  std::vector<const expr::Monoid*> monoids;
  for (const Node& node : graph.nodes) {
    const std::vector<const expr::Monoid*> more = monoids_of(node.op);
    monoids.insert(monoids.end(), more.begin(), more.end());
  }
  ir::Document document{"tra", {}, {}};
  ir::add_reproducible(document, graph.is_reproducible);
  for (Field& setting : made_monoids(monoids, aggregates)) {
    document.settings.push_back(std::move(setting));
  }
  const Relations relations = relations_of(graph);
  for (const Node& node : graph.nodes) {
    Description line = describe_operator(node.op, node.type, relations);
    line.id = ir::node_name(static_cast<int64_t>(document.nodes.size()));
    for (const NodeId input : inputs_of(node.op)) {
      line.operands.push_back(ir::operand(input.value));
    }
    line.type.text = written_type(&node.op, node.type);
    line.comment = to_string(node.origin);
    document.nodes.push_back(std::move(line));
  }
  ir::append_outputs(document, named_outputs(graph.outputs));
  return document;
}

Graph parse_graph(const SourceText& source, const expr::FunctionRegistry& functions,
                  const expr::AggregateRegistry& aggregates) {
  Graph graph = GraphReader(source, functions, aggregates).run();
  ir::refuse_problems(source, verify(graph, functions));
  return graph;
}

}  // namespace tessera::tra
