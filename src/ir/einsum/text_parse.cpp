#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/suggest.h"
#include "expr/text/parts.h"
#include "ir/einsum/text.h"
#include "ir/einsum/text_names.h"
#include "ir/einsum/verify.h"
#include "ir/graph_lines.h"

namespace tessera::einsum {

namespace {

using expr::Scanner;

class GraphReader {
 public:
  GraphReader(const SourceText& source, const expr::FunctionRegistry& functions,
              const expr::AggregateRegistry& aggregates)
      : source_(source), functions_(functions), aggregates_(aggregates), monoids_{aggregates, {}} {}

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
      Scanner scanner(source_, setting.span);
      if (setting.name == "aggregate") {
        made_.push_back(expr::read_aggregate(scanner, functions_));
      } else if (setting.name == "monoid") {
        monoids_.defined.push_back(expr::read_monoid(scanner, functions_));
      } else {
        ir::fail_at(source_, setting.span, "an einsum graph has no such setting",
                    "aggregate={...}, monoid={...}");
      }
      scanner.expect_end();
    }
  }

  Vertex read_vertex(const ir::Description& node) {
    using Read = void (GraphReader::*)(const ir::Description&, Vertex&);
    static const std::vector<ir::OperatorReader<Read>> operations = {
        {"input", {"", "stored"}, &GraphReader::read_input},
        {"einsum", {"", "gather"}, &GraphReader::read_einsum},
        {"scan", {"", "result"}, &GraphReader::read_scan},
        {"whole", {""}, &GraphReader::read_whole},
    };
    const Read read = ir::reader_of(source_, node, operations, "tensors");
    Vertex vertex;
    vertex.origin = parse_origin(node.comment);
    read_type(node, vertex);
    (this->*read)(node, vertex);
    return vertex;
  }

  void read_input(const ir::Description& node, Vertex& vertex) {
    Scanner scanner(source_, ir::what_of(source_, node).span);
    vertex.name = scanner.name();
    vertex.op = Input{ir::read_storage_order(source_, node)};
    scanner.expect_end();
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

  /// A statement and its place.
  struct StatementRead {
    expr::ReadStatement statement;
    std::vector<expr::LabelDecl> labels;
    Scanner begin;  // its place, for errors
  };

  expr::Leaves leaves_of(const Vertex& vertex) const {
    expr::Leaves leaves;
    leaves.names.operands = operand_names(graph_, vertex.operands);
    for (const VertexId operand : vertex.operands) {
      leaves.operands.push_back(graph_.at(operand).type.dtype);
    }
    return leaves;
  }

  /// Reads "[labels] name[out] = aggregate[over] body".
  StatementRead read_statement(const ir::Description& node, Vertex& vertex) {
    for (const int32_t operand : ir::parse_operands(source_, node, num_vertices())) {
      vertex.operands.emplace_back(operand);
    }
    Scanner scanner(source_, ir::what_of(source_, node).span);
    expr::Leaves leaves = leaves_of(vertex);
    StatementRead read{{}, {}, scanner};
    const int64_t begin = scanner.position();
    const bool has_labels = scanner.looking_at("[");
    if (has_labels) {
      read.labels = expr::read_labels(scanner);
      leaves.names.labels = expr::names_of(read.labels);
    }
    read.statement = expr::read_statement(scanner, leaves, has_labels, functions_);
    if (read.statement.leaf) {
      scanner.fail(scanner.since(begin), "a statement over tensors has no leaf",
                   "in which order sums run is said where tensors are cut, in the stage tra");
    }
    if (!has_labels) {
      read.labels =
          following_labels(scanner, begin, leaves.names.labels, read.statement.bodies, vertex);
    }
    scanner.expect_end();
    vertex.name = read.statement.results[0];
    return read;
  }

  void read_einsum(const ir::Description& node, Vertex& vertex) {
    StatementRead from = read_statement(node, vertex);
    expr::ReadStatement& read = from.statement;
    if (read.results.size() != 1) {
      ir::fail_at(source_, node.span, "a statement over tensors has one result");
    }
    if (read.scan) {
      from.begin.fail(read.aggregate_span, "a scan is an operation of its own",
                      "write scan in place of einsum");
    }
    if (read.is_whole) {
      ir::fail_at(source_, node.span, "a function of whole arrays is an operation of its own",
                  "write whole in place of einsum");
    }
    EinSum einsum;
    einsum.gathers_source = reads_source(node);
    einsum.labels = std::move(from.labels);
    einsum.out = std::move(read.out);
    einsum.over = std::move(read.over);
    einsum.body = std::move(read.bodies[0]);
    if (!read.aggregate.empty()) {
      einsum.reduction = aggregate_of(from.begin, read, einsum.body.dtype());
      einsum.aggregate = std::move(read.aggregate);
    }
    vertex.op = std::move(einsum);
  }

  bool reads_source(const ir::Description& node) const {
    const ir::Field* field = node.find("gather");
    if (field != nullptr && field->text != "source") {
      ir::fail_at(source_, field->span, "expected 'source'",
                  "without gather=, what is gathered is read as tiles");
    }
    return field != nullptr;
  }

  void read_scan(const ir::Description& node, Vertex& vertex) {
    StatementRead from = read_statement(node, vertex);
    expr::ReadStatement& read = from.statement;
    if (!read.scan) {
      ir::fail_at(source_, node.span, "a scan merges along a label",
                  "write name[i] = scan sum[i] body");
    }
    Scan scan;
    scan.what = {monoid_of(from.begin, read), read.over[0], read.scan->direction,
                 read.scan->is_exclusive};
    scan.result = read_result(node, vertex, from.labels, scan.what.monoid.state);
    scan.labels = std::move(from.labels);
    scan.out = std::move(read.out);
    scan.bodies = std::move(read.bodies);
    vertex.op = std::move(scan);
  }

  void read_whole(const ir::Description& node, Vertex& vertex) {
    StatementRead from = read_statement(node, vertex);
    expr::ReadStatement& read = from.statement;
    if (!read.is_whole || read.bodies.size() != 1) {
      ir::fail_at(source_, node.span, "it calls no function of whole arrays",
                  "write name[i,j] = whole[i,j] inverse(x[i,j])");
    }
    std::vector<expr::LabelNumber> over = expr::labels_without(read.over, read.out);
    vertex.op = Whole{std::move(from.labels),
                      std::move(read.out),
                      {std::move(read.over), std::move(over)},
                      std::move(read.bodies[0])};
  }

  expr::Monoid monoid_of(const Scanner& scanner, const expr::ReadStatement& read) const {
    try {
      return monoids_.find(read.aggregate, read.bodies[0].dtype());
    } catch (const Error& error) {
      scanner.fail(read.aggregate_span, error.message());
    }
  }

  expr::Scalar read_result(const ir::Description& node, const Vertex& vertex,
                           const std::vector<expr::LabelDecl>& labels,
                           const std::vector<DType>& state) const {
    if (node.find("result") == nullptr) {
      expr::ScalarBuilder builder;
      return builder.finish(builder.parameter(0, state[0]));
    }
    expr::Leaves leaves = leaves_of(vertex);
    leaves.names.labels = expr::names_of(labels);
    leaves.names.parameters = entry_names(state.size());
    leaves.parameters = state;
    Scanner scanner(source_, ir::parameter_of(source_, node, "result").span);
    expr::Scalar result = expr::read_scalar(scanner, leaves, functions_);
    scanner.expect_end();
    return result;
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
                                                const std::vector<expr::Scalar>& bodies,
                                                const Vertex& vertex) const {
    std::vector<const expr::Scalar*> read;
    for (const expr::Scalar& body : bodies) {
      read.push_back(&body);
    }
    const std::vector<int64_t> extents =
        expr::plain_extents(names.size(), read, operand_shapes(graph_, vertex.operands));
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
  expr::MonoidScope monoids_;
  Graph graph_;
};

}  // namespace

Graph parse_graph(const SourceText& source, const expr::FunctionRegistry& functions,
                  const expr::AggregateRegistry& aggregates) {
  Graph graph = GraphReader(source, functions, aggregates).run();
  ir::refuse_problems(source, verify(graph, functions));
  return graph;
}

}  // namespace tessera::einsum
