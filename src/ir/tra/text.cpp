#include "ir/tra/text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "expr/text/parts.h"
#include "ir/graph_lines.h"
#include "ir/tra/infer.h"
#include "ir/tra/text_relation.h"
#include "ir/tra/verify.h"

namespace tessera::tra {

namespace {

using expr::Scanner;
using expr::written_name;
using ir::Description;
using ir::Field;

/// What an operator is called and its parameters, in order.
struct Describer {
  const Graph& graph;
  const Node& node;

  Field kernel(const expr::TileProgram& program) const {
    return {"kernel", expr::to_text(program, kernel_inputs(graph, inputs_of(node.op))), {}};
  }

  /// The key of an operator, where it is not that of the type.
  void add_key(Description& description, const std::vector<KeyDim>& key) const {
    if (key != node.type.key) {
      description.parameters.push_back({"key", key_text(key), {}});
    }
  }

  Description operator()(const Input& input) const {
    return ir::operation("input", {{"", written_name(input.name), {}}});
  }
  Description operator()(const Join& join) const {
    Description description = ir::operation("join", {{"on", match_text(join.match), {}}});
    add_key(description, join.key);
    description.parameters.push_back(kernel(join.kernel));
    return description;
  }
  Description operator()(const Aggregate& aggregate) const {
    Description description =
        ir::operation("aggregate", {{"keep", labels_text(aggregate.keep), {}},
                                    {"by", expr::reference_to(aggregate.monoid), {}}});
    add_merge_order(description, aggregate.order);
    return description;
  }
  Description operator()(const Rekey& rekey) const {
    return ir::operation("rekey", {{"key", key_map_text(rekey.key), {}}});
  }
  Description operator()(const Filter& filter) const {
    return ir::operation(
        "filter", {{"where", predicate_text(filter.predicate, graph.at(filter.input).type), {}}});
  }
  Description operator()(const Transform& transform) const {
    return ir::operation("transform", {kernel(transform.kernel)});
  }
  Description operator()(const Tile& tile) const {
    return ir::operation("tile", {{"dim", dim_text(tile.dim), {}}});
  }
  Description operator()(const Concat& concat) const {
    return ir::operation("concat", {{"label", written_name(concat.label), {}}});
  }
  Description operator()(const Repartition& repartition) const {
    Description description = ir::operation("repartition");
    add_key(description, repartition.key);
    return description;
  }
};

std::vector<const expr::Monoid*> monoids_of_graph(const Graph& graph) {
  struct Collector {
    std::vector<const expr::Monoid*> operator()(const Join& join) const {
      return monoids_of(join.kernel);
    }
    std::vector<const expr::Monoid*> operator()(const Transform& transform) const {
      return monoids_of(transform.kernel);
    }
    std::vector<const expr::Monoid*> operator()(const Aggregate& aggregate) const {
      return {&aggregate.monoid};
    }
    std::vector<const expr::Monoid*> operator()(const Input&) const { return {}; }
    std::vector<const expr::Monoid*> operator()(const Rekey&) const { return {}; }
    std::vector<const expr::Monoid*> operator()(const Filter&) const { return {}; }
    std::vector<const expr::Monoid*> operator()(const Tile&) const { return {}; }
    std::vector<const expr::Monoid*> operator()(const Concat&) const { return {}; }
    std::vector<const expr::Monoid*> operator()(const Repartition&) const { return {}; }
  };
  std::vector<const expr::Monoid*> monoids;
  for (const Node& node : graph.nodes) {
    const std::vector<const expr::Monoid*> more = std::visit(Collector{}, node.op);
    monoids.insert(monoids.end(), more.begin(), more.end());
  }
  return monoids;
}

class GraphReader {
 public:
  GraphReader(const SourceText& source, const expr::FunctionRegistry& functions,
              const expr::AggregateRegistry& aggregates)
      : source_(source), functions_(functions), monoids_{aggregates, {}} {}

  Graph run() && {
    const ir::Document document = ir::parse_stage(source_, "tra");
    for (const Field& setting : document.settings) {
      if (setting.name != "aggregate") {
        ir::fail_at(source_, setting.span, "a tra graph has no setting but aggregate={...}");
      }
      monoids_.defined.push_back(parse_made_monoid(source_, setting, functions_));
    }
    const auto add_node = [&](const Description& line) { read_node(line); };
    for (const ir::NamedOutput& output : ir::read_lines(source_, document.nodes, add_node)) {
      graph_.outputs.push_back({output.name, NodeId(output.node)});
    }
    return std::move(graph_);
  }

 private:
  int64_t num_nodes() const { return static_cast<int64_t>(graph_.nodes.size()); }

  void read_node(const Description& line) {
    const std::optional<RelationType> type = read_line_type(source_, line);
    Node node{read_operator(line, type), {}, parse_origin(line.comment)};
    if (!std::holds_alternative<Input>(node.op)) {
      node.type = inferred_type(line, node.op);
    } else if (type) {
      node.type = *type;
    } else {
      fail_without_type(source_, line);
    }
    if (type && *type != node.type) {
      ir::fail_at(source_, line.type.span,
                  fmt::format("the type is given as {} but follows as {}", type_text(*type),
                              type_text(node.type)));
    }
    graph_.nodes.push_back(std::move(node));
  }

  /// What the lines before say of the type; errors point at this line.
  RelationType inferred_type(const Description& line, const Op& op) const {
    const std::vector<std::string> problems = verify_operator(graph_, op, functions_);
    if (!problems.empty()) {
      ir::fail_at(source_, line.span, problems[0]);
    }
    try {
      return infer_type(graph_, op);
    } catch (const Error& error) {
      ir::fail_at(source_, line.span, error.message());
    }
  }

  Op read_operator(const Description& line, const std::optional<RelationType>& type) const {
    using Read = Op (GraphReader::*)(const Description&, const std::optional<RelationType>&) const;
    const std::vector<ir::OperatorReader<Read>> operators = {
        {"input", {""}, &GraphReader::read_input},
        {"join", {"on", "key", "kernel"}, &GraphReader::read_join},
        {"aggregate", {"keep", "by", "order"}, &GraphReader::read_aggregate},
        {"rekey", {"key"}, &GraphReader::read_rekey},
        {"filter", {"where"}, &GraphReader::read_filter},
        {"transform", {"kernel"}, &GraphReader::read_transform},
        {"tile", {"dim"}, &GraphReader::read_tile},
        {"concat", {"label"}, &GraphReader::read_concat},
        {"repartition", {"key"}, &GraphReader::read_repartition},
    };
    const Read reader = ir::reader_of(source_, line, operators, "relations");
    return (this->*reader)(line, type);
  }

  template <class Read>
  auto read(const Description& line, const std::string& name, Read read_value) const {
    return read_parameter(source_, line, name, read_value);
  }

  NodeId input_of(const Description& line) const {
    return NodeId(ir::parse_operand(source_, line, num_nodes()));
  }

  Op read_input(const Description& line, const std::optional<RelationType>&) const {
    return Input{read_name_parameter(source_, line, "")};
  }

  Op read_join(const Description& line, const std::optional<RelationType>& type) const {
    Join join;
    for (const int32_t number : ir::parse_operands(source_, line, num_nodes())) {
      join.inputs.emplace_back(number);
    }
    join.match = read(line, "on", [&](Scanner& s) { return read_match(s, join.inputs.size()); });
    join.key = read_key_or_type(source_, line, type);
    join.kernel = read_kernel(line, join.inputs);
    return join;
  }

  Op read_aggregate(const Description& line, const std::optional<RelationType>&) const {
    return Aggregate{
        input_of(line), read(line, "keep", read_labels),
        read(line, "by", [&](Scanner& s) { return read_monoid_reference(s, monoids_); }),
        read_merge_order(source_, line)};
  }

  Op read_rekey(const Description& line, const std::optional<RelationType>&) const {
    const NodeId input = input_of(line);
    return Rekey{input, read(line, "key",
                             [&](Scanner& s) { return read_key_map(s, graph_.at(input).type); })};
  }

  Op read_filter(const Description& line, const std::optional<RelationType>&) const {
    const NodeId input = input_of(line);
    return Filter{input, read(line, "where", [&](Scanner& s) {
                    return read_predicate(s, graph_.at(input).type, functions_);
                  })};
  }

  Op read_transform(const Description& line, const std::optional<RelationType>&) const {
    const NodeId input = input_of(line);
    return Transform{input, read_kernel(line, {input})};
  }

  Op read_tile(const Description& line, const std::optional<RelationType>&) const {
    const KeyDim dim = read(line, "dim", read_dim);
    if (!std::holds_alternative<DenseDim>(dim)) {
      ir::fail_at(source_, ir::parameter_of(source_, line, "dim").span,
                  "a mode is cut at places, as d:2x4");
    }
    return Tile{input_of(line), std::get<DenseDim>(dim)};
  }

  Op read_concat(const Description& line, const std::optional<RelationType>&) const {
    return Concat{input_of(line), read_name_parameter(source_, line, "label")};
  }

  Op read_repartition(const Description& line, const std::optional<RelationType>& type) const {
    return Repartition{input_of(line), read_key_or_type(source_, line, type)};
  }

  expr::TileProgram read_kernel(const Description& line, const std::vector<NodeId>& inputs) const {
    return read(line, "kernel", [&](Scanner& scanner) {
      return expr::read_program(scanner, kernel_inputs(graph_, inputs), monoids_, functions_);
    });
  }

  const SourceText& source_;
  const expr::FunctionRegistry& functions_;
  expr::MonoidScope monoids_;
  Graph graph_;
};

}  // namespace

ir::Document describe(const Graph& graph, const expr::AggregateRegistry& aggregates) {
  ir::Document document{"tra", made_monoids(monoids_of_graph(graph), aggregates), {}};
  for (const Node& node : graph.nodes) {
    Description line = std::visit(Describer{graph, node}, node.op);
    line.id = ir::node_name(static_cast<int64_t>(document.nodes.size()));
    for (const NodeId input : inputs_of(node.op)) {
      line.operands.push_back(ir::operand(input.value));
    }
    line.type.text = type_text(node.type);
    line.comment = to_string(node.origin);
    document.nodes.push_back(std::move(line));
  }
  ir::append_outputs(document, named_outputs(graph));
  return document;
}

Graph parse_graph(const SourceText& source, const expr::FunctionRegistry& functions,
                  const expr::AggregateRegistry& aggregates) {
  Graph graph = GraphReader(source, functions, aggregates).run();
  ir::refuse_problems(source, verify(graph, functions));
  return graph;
}

}  // namespace tessera::tra
