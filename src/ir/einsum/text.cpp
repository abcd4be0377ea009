#include "ir/einsum/text.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/suggest.h"
#include "expr/text/parts.h"
#include "expr/text/text.h"
#include "ir/einsum/verify.h"
#include "ir/graph_lines.h"

namespace tessera::einsum {

namespace {

using expr::Scanner;

/// What a statement calls its operands: their names, or x0, x1, ... where two would be the same.
std::vector<std::string> operand_names(const Graph& graph, const std::vector<VertexId>& operands) {
  std::vector<std::string> names;
  for (const VertexId operand : operands) {
    names.push_back(graph.at(operand).name);
  }
  if (std::set<std::string>(names.begin(), names.end()).size() < names.size()) {
    for (size_t position = 0; position < names.size(); ++position) {
      names[position] = fmt::format("x{}", position);
    }
  }
  return names;
}

std::vector<Shape> operand_shapes(const Graph& graph, const std::vector<VertexId>& operands) {
  std::vector<Shape> shapes;
  for (const VertexId operand : operands) {
    shapes.push_back(graph.at(operand).type.shape);
  }
  return shapes;
}

/// "f32[s=128,a=64]".
std::string type_text(const Vertex& vertex) {
  std::vector<expr::LabelDecl> modes;
  for (size_t mode = 0; mode < vertex.type.shape.size(); ++mode) {
    const bool has_name = mode < vertex.labels.size();
    modes.push_back({has_name ? vertex.labels[mode] : "", vertex.type.shape[mode]});
  }
  return std::string(name_of(vertex.type.dtype)) + expr::labels_text(modes);
}

bool is_registered(const EinSum& einsum, const expr::AggregateRegistry& aggregates) {
  const expr::Aggregate* aggregate = aggregates.find(einsum.aggregate);
  if (aggregate == nullptr) {
    return false;
  }
  try {
    EinSum bound = einsum;
    bound.reduction = aggregate->bind(einsum.body.dtype());
    return bound == einsum;
  } catch (const Error&) {
    return false;  // the registry's has no meaning for this dtype, so this is another
  }
}

/// The setting that a reader needs to find the statement's aggregate; none where a name does.
void append_aggregate(std::vector<ir::Field>& settings, const EinSum& einsum,
                      const expr::AggregateRegistry& aggregates) {
  if (!einsum.reduction || is_registered(einsum, aggregates)) {
    return;
  }
  ir::Field setting{
      "aggregate",
      expr::to_text(expr::NamedAggregate{einsum.aggregate, einsum.body.dtype(), *einsum.reduction}),
      {}};
  if (std::find(settings.begin(), settings.end(), setting) == settings.end()) {
    settings.push_back(std::move(setting));
  }
}

/// The aggregates that a reader cannot find by name, each once, as settings.
std::vector<ir::Field> made_aggregates(const Graph& graph,
                                       const expr::AggregateRegistry& aggregates) {
  std::vector<ir::Field> settings;
  for (const Vertex& vertex : graph.vertices) {
    std::visit(
        Overload{[](const Input&) {},
                 [&](const EinSum& einsum) { append_aggregate(settings, einsum, aggregates); }},
        vertex.op);
  }
  return settings;
}

bool labels_follow(const EinSum& einsum, const std::vector<Shape>& operands) {
  const std::vector<int64_t> extents =
      expr::plain_extents(einsum.labels.size(), {&einsum.body}, operands);
  return expr::numbered_as_named(einsum.labels.size(), {einsum.out, einsum.over}) &&
         std::equal(extents.begin(), extents.end(), einsum.labels.begin(),
                    [](int64_t extent, const auto& label) { return extent == label.extent; });
}

std::string statement_text(const Graph& graph, const Vertex& vertex, const EinSum& einsum) {
  const expr::Names names{expr::names_of(einsum.labels), operand_names(graph, vertex.operands), {}};
  const std::string labels = labels_follow(einsum, operand_shapes(graph, vertex.operands))
                                 ? ""
                                 : expr::labels_text(einsum.labels) + " ";
  return labels +
         expr::statement_text(
             {{vertex.name}, einsum.out, einsum.aggregate, einsum.over, {&einsum.body}}, names);
}

/// What a vertex's operation is called and its statement or name.
struct Describer {
  const Graph& graph;
  const Vertex& vertex;

  ir::Description operator()(const Input& input) const {
    ir::Description node = ir::operation("input", {{"", expr::written_name(vertex.name), {}}});
    ir::add_storage_order(node, input.order);
    return node;
  }
  ir::Description operator()(const EinSum& einsum) const {
    ir::Description node =
        ir::operation("einsum", {{"", statement_text(graph, vertex, einsum), {}}});
    for (const VertexId operand : vertex.operands) {
      node.operands.push_back(ir::operand(operand.value));
    }
    return node;
  }
};

class GraphReader {
 public:
  GraphReader(const SourceText& source, const expr::FunctionRegistry& functions,
              const expr::AggregateRegistry& aggregates)
      : source_(source), functions_(functions), aggregates_(aggregates) {}

  Graph run() && {
    const ir::Document document = ir::parse_stage(source_, "einsum");
    read_settings(document);
    const auto add_vertex = [&](const ir::Description& node) {
      graph_.vertices.push_back(read_vertex(node));
    };
    for (const ir::NamedOutput& output : ir::read_lines(source_, document.nodes, add_vertex)) {
      graph_.outputs.push_back({output.name, VertexId(output.node)});
    }
    return std::move(graph_);
  }

 private:
  int64_t num_vertices() const { return static_cast<int64_t>(graph_.vertices.size()); }

  void read_settings(const ir::Document& document) {
    for (const ir::Field& setting : document.settings) {
      if (setting.name != "aggregate") {
        ir::fail_at(source_, setting.span, "an einsum graph has no setting but aggregate={...}");
      }
      Scanner scanner(source_, setting.span);
      made_.push_back(expr::read_aggregate(scanner, functions_));
      scanner.expect_end();
    }
  }

  Vertex read_vertex(const ir::Description& node) {
    const bool is_input = node.op == "input";
    ir::check_parameters(
        source_, node,
        is_input ? std::vector<std::string>{"", "stored"} : std::vector<std::string>{""});
    Vertex vertex;
    vertex.origin = parse_origin(node.comment);
    read_type(node, vertex);
    Scanner scanner(source_, ir::what_of(source_, node).span);
    if (is_input) {
      vertex.name = scanner.name();
      vertex.op = Input{ir::read_storage_order(source_, node)};
    } else if (node.op == "einsum") {
      for (const int32_t operand : ir::parse_operands(source_, node, num_vertices())) {
        vertex.operands.emplace_back(operand);
      }
      read_statement(scanner, vertex);
    } else {
      ir::fail_at(source_, node.span, fmt::format("there is no operation {} on tensors", node.op),
                  "input, einsum, output");
    }
    scanner.expect_end();
    return vertex;
  }

  void read_type(const ir::Description& node, Vertex& vertex) const {
    if (node.type.text.empty()) {
      ir::fail_at(source_, node.span, "the type is missing", "write it last: ... : f32[i=3,j=4]");
    }
    Scanner scanner(source_, node.type.span);
    vertex.type.dtype = scanner.dtype();
    for (expr::LabelDecl& mode : expr::read_labels(scanner)) {
      vertex.type.shape.push_back(mode.extent);
      vertex.labels.push_back(std::move(mode.name));
    }
    scanner.expect_end();
  }

  /// "[labels] name[out] = aggregate[over] body"
  void read_statement(Scanner& scanner, Vertex& vertex) {
    EinSum einsum;
    expr::Leaves leaves;
    leaves.names.operands = operand_names(graph_, vertex.operands);
    for (const VertexId operand : vertex.operands) {
      leaves.operands.push_back(graph_.at(operand).type.dtype);
    }
    const int64_t begin = scanner.position();
    const bool has_labels = scanner.looking_at("[");
    if (has_labels) {
      einsum.labels = expr::read_labels(scanner);
      leaves.names.labels = expr::names_of(einsum.labels);
    }
    expr::ReadStatement read = expr::read_statement(scanner, leaves, has_labels, functions_);
    if (read.results.size() != 1) {
      scanner.fail(scanner.since(begin), "a statement over tensors has one result");
    }
    if (read.scan) {
      scanner.fail(read.aggregate_span, "a scan over tensors is not supported",
                   "tile programs have scans, in the stages tra and tasks");
    }
    if (read.leaf) {
      scanner.fail(scanner.since(begin), "a statement over tensors has no leaf",
                   "in which order sums run is said where tensors are cut, in the stage tra");
    }
    vertex.name = read.results[0];
    einsum.out = std::move(read.out);
    einsum.over = std::move(read.over);
    einsum.body = std::move(read.bodies[0]);
    if (!read.aggregate.empty()) {
      einsum.reduction = aggregate_of(scanner, read, einsum.body.dtype());
      einsum.aggregate = std::move(read.aggregate);
    }
    if (!has_labels) {
      einsum.labels = following_labels(scanner, begin, leaves.names.labels, einsum, vertex);
    }
    vertex.op = std::move(einsum);
  }

  expr::BoundAggregate aggregate_of(const Scanner& scanner, const expr::ReadStatement& read,
                                    DType element) const {
    for (const expr::NamedAggregate& made : made_) {
      if (made.name == read.aggregate && made.element == element) {
        return made.aggregate;
      }
    }
    const expr::Aggregate* aggregate = aggregates_.find(read.aggregate);
    if (aggregate == nullptr) {
      scanner.fail(read.aggregate_span, "there is no aggregate " + read.aggregate,
                   did_you_mean(read.aggregate, aggregates_.names()));
    }
    try {
      return aggregate->bind(element);
    } catch (const Error& error) {
      scanner.fail(read.aggregate_span, error.message());
    }
  }

  std::vector<expr::LabelDecl> following_labels(const Scanner& scanner, int64_t begin,
                                                const std::vector<std::string>& names,
                                                const EinSum& einsum, const Vertex& vertex) const {
    const std::vector<int64_t> extents =
        expr::plain_extents(names.size(), {&einsum.body}, operand_shapes(graph_, vertex.operands));
    std::vector<expr::LabelDecl> labels;
    for (size_t label = 0; label < names.size(); ++label) {
      if (extents[label] < 0) {
        scanner.fail(scanner.since(begin), "no operand says how long label " + names[label] + " is",
                     fmt::format("write all labels first: [{}=8,...]", names[label]));
      }
      labels.push_back({names[label], extents[label]});
    }
    return labels;
  }

  const SourceText& source_;
  const expr::FunctionRegistry& functions_;
  const expr::AggregateRegistry& aggregates_;
  std::vector<expr::NamedAggregate> made_;
  Graph graph_;
};

}  // namespace

ir::Document describe(const Graph& graph, const expr::AggregateRegistry& aggregates) {
  ir::Document document{"einsum", made_aggregates(graph, aggregates), {}};
  for (size_t number = 0; number < graph.vertices.size(); ++number) {
    const Vertex& vertex = graph.vertices[number];
    ir::Description node = std::visit(Describer{graph, vertex}, vertex.op);
    node.id = ir::node_name(static_cast<int64_t>(number));
    node.type.text = type_text(vertex);
    node.comment = to_string(vertex.origin);
    document.nodes.push_back(std::move(node));
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

}  // namespace tessera::einsum
