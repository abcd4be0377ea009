#include "ir/einsum/text.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "expr/text/parts.h"
#include "expr/text/text.h"
#include "ir/einsum/text_names.h"
#include "ir/graph_lines.h"

namespace tessera::einsum {

namespace {

/// Formats a type: "f32[s=128,a=64]".
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
    return false;  // the registry's is not defined for this dtype, so this is another one
  }
}

/// Appends the setting that a reader needs to find the statement's aggregate; none if its name is
/// enough.
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

/// Appends the setting that a reader needs to find the monoid of a scan; none if its name is
/// enough.
void append_monoid(std::vector<ir::Field>& settings, const Scan& scan,
                   const expr::AggregateRegistry& aggregates) {
  ir::Field setting{"monoid", expr::to_text(scan.what.monoid), {}};
  if (!expr::is_registered(scan.what.monoid, aggregates) &&
      std::find(settings.begin(), settings.end(), setting) == settings.end()) {
    settings.push_back(std::move(setting));
  }
}

/// Returns the aggregates and monoids that a reader cannot find by name, each once, as settings.
std::vector<ir::Field> made_aggregates(const Graph& graph,
                                       const expr::AggregateRegistry& aggregates) {
  std::vector<ir::Field> settings;
  for (const Vertex& vertex : graph.vertices) {
    std::visit(
        Overload{[](const Among<Input, Whole> auto&) {},
                 [&](const EinSum& einsum) { append_aggregate(settings, einsum, aggregates); },
                 [&](const Scan& scan) { append_monoid(settings, scan, aggregates); }},
        vertex.op);
  }
  return settings;
}

bool labels_follow(const std::vector<expr::LabelDecl>& labels, const expr::StatementForm& form,
                   const std::vector<Shape>& operands) {
  const std::vector<int64_t> extents = expr::plain_extents(labels.size(), form.bodies, operands);
  return expr::numbered_as_named(labels.size(), {form.out, form.over}) &&
         std::equal(extents.begin(), extents.end(), labels.begin(),
                    [](int64_t extent, const auto& label) { return extent == label.extent; });
}

std::string statement_text(const Graph& graph, const Vertex& vertex,
                           const std::vector<expr::LabelDecl>& labels,
                           const expr::StatementForm& form) {
  const expr::Names names{expr::names_of(labels), operand_names(graph, vertex.operands), {}};
  const bool follow = labels_follow(labels, form, operand_shapes(graph, vertex.operands));
  return (follow ? "" : expr::labels_text(labels) + " ") + expr::statement_text(form, names);
}

/// Returns the names of a scan's states: the vertex's for the first, made-up ones for the others.
std::vector<std::string> state_names(const Vertex& vertex, const Scan& scan) {
  std::vector<std::string> names = {vertex.name};
  for (size_t entry = 1; entry < scan.bodies.size(); ++entry) {
    names.push_back(fmt::format("{}.{}", vertex.name, entry));
  }
  return names;
}

/// True if the result of a scan is its state.
bool is_plain(const Scan& scan) {
  return scan.bodies.size() == 1 && scan.result.nodes.size() == 1 &&
         std::holds_alternative<expr::Parameter>(scan.result.nodes[0].op);
}

/// The word of a vertex's operation, and its statement or name.
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
        statement("einsum", einsum.labels,
                  {{vertex.name}, einsum.out, einsum.aggregate, einsum.over, {&einsum.body}});
    if (einsum.gathers_source) {
      node.parameters.push_back({"gather", "source", {}});
    }
    return node;
  }
  ir::Description operator()(const Scan& scan) const {
    expr::StatementForm form{
        state_names(vertex, scan), scan.out, scan.what.monoid.name, {scan.what.along}, {}};
    form.scan = expr::ScanForm{scan.what.direction, scan.what.is_exclusive};
    for (const expr::Scalar& body : scan.bodies) {
      form.bodies.push_back(&body);
    }
    ir::Description node = statement("scan", scan.labels, form);
    if (!is_plain(scan)) {
      const expr::Names names{expr::names_of(scan.labels), operand_names(graph, vertex.operands),
                              entry_names(scan.bodies.size())};
      node.parameters.push_back({"result", expr::to_text(scan.result, names), {}});
    }
    return node;
  }

  ir::Description operator()(const Whole& whole) const {
    expr::StatementForm form{{vertex.name}, whole.out, "", whole.what.core, {&whole.body}};
    form.is_whole = true;
    return statement("whole", whole.labels, form);
  }

  ir::Description statement(const char* operation, const std::vector<expr::LabelDecl>& labels,
                            const expr::StatementForm& form) const {
    ir::Description node =
        ir::operation(operation, {{"", statement_text(graph, vertex, labels, form), {}}});
    for (const VertexId operand : vertex.operands) {
      node.operands.push_back(ir::operand(operand.value));
    }
    return node;
  }
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

}  // namespace tessera::einsum
