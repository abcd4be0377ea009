#include <algorithm>
#include <map>
#include <set>

#include "base/source_places.h"
#include "frontend/einsum/einsum.h"
#include "frontend/einsum/equation/body.h"
#include "frontend/einsum/equation/labels.h"
#include "frontend/einsum/equation/syntax.h"
#include "frontend/einsum/program/sum_warnings.h"

namespace tessera::frontend {

namespace {

Origin origin_of(const std::string& statement, const SourcePlaces& places,
                 const EquationTerm& term) {
  const SourcePosition place = places.position_of(term.span.begin);
  return {statement, places.source().name, place.line, place.column,
          num_characters(places.source(), term.span)};
}

/// Returns one name per mode: the label's, with a number if the label stands more than once. A
/// broadcast mode has the name that its label would have had.
std::vector<std::string> mode_names(const EquationTerm& term, const ArrayType& type) {
  std::vector<std::string> names;
  std::map<std::string, int> seen;
  const auto num_axes = static_cast<int64_t>(type.shape.size()) - term.num_labels();
  for (const EquationItem& item : term.items) {
    if (!item.is_ellipsis()) {
      const int count = ++seen[item.label];
      names.push_back(count == 1 ? item.label : fmt::format("{}{}", item.label, count));
      continue;
    }
    for (int64_t axis = 0; axis < num_axes; ++axis) {
      names.push_back(fmt::format("dots{}", axis + 1));
    }
  }
  return names;
}

einsum::Vertex output_vertex(EquationLabels labels, EquationBody body, const std::string& name) {
  const DType dtype = body.reduction ? body.reduction->result() : body.body.dtype();
  einsum::Vertex vertex;
  vertex.name = name;
  vertex.type.dtype = dtype;
  for (const expr::LabelNumber label : labels.out) {
    const expr::LabelDecl& declared = labels.labels[static_cast<size_t>(label)];
    vertex.type.shape.push_back(declared.extent);
    vertex.labels.push_back(declared.name);
  }
  vertex.op =
      einsum::EinSum{std::move(labels.labels),  std::move(labels.out),     std::move(labels.over),
                     std::move(body.aggregate), std::move(body.reduction), std::move(body.body)};
  return vertex;
}

/// Returns the help that shows how to sum narrow numbers as wider ones.
std::string cure_for_sums(size_t num_operands) {
  std::string product;
  for (size_t number = 1; number <= num_operands; ++number) {
    const std::string operand = num_operands == 1   ? "x"
                                : num_operands == 2 ? std::string(1, "xy"[number - 1])
                                                    : fmt::format("x{}", number);
    product += fmt::format("{}i64({})", product.empty() ? "" : " * ", operand);
  }
  return fmt::format("convert what is summed, by the join {}", product);
}

/// Returns "out", or a longer name if an operand has that one.
std::string output_name(const std::vector<std::string>& operand_names) {
  std::string name = "out";
  while (std::find(operand_names.begin(), operand_names.end(), name) != operand_names.end()) {
    name += "_";
  }
  return name;
}

}  // namespace

Result<einsum::Graph> bind_equation(const std::string& equation,
                                    const std::vector<ArrayType>& operands,
                                    const std::vector<std::string>& operand_names,
                                    const EquationOptions& options, const Vocabulary& vocabulary) {
  TESSERA_CHECK(operand_names.size() == operands.size(), "{} names for {} operands",
                operand_names.size(), operands.size());
  TESSERA_CHECK(
      std::set<std::string>(operand_names.begin(), operand_names.end()).size() == operands.size(),
      "two operands have the same name");
  const SourceText source{kEquationName, equation};
  Diagnostics findings(source);
  const EquationSyntax syntax = parse_equation(source, findings);
  if (!findings.empty()) {
    return findings;
  }
  const EquationOperands given{operands, operand_names};
  EquationLabels labels = resolve_labels(syntax, given, findings);
  if (!findings.empty()) {
    return findings;
  }
  Result<EquationBody> body = bind_equation_body(labels, given, options, vocabulary);
  if (!body.ok()) {
    return body.diagnostics();
  }

  const SourcePlaces places(source);
  einsum::Graph graph;
  std::vector<einsum::VertexId> inputs;
  for (size_t operand = 0; operand < operands.size(); ++operand) {
    const EquationTerm& term = syntax.operands[operand];
    inputs.push_back(
        graph.add({einsum::Input{storage_order_of(operand_names[operand], options.column_major)},
                   {},
                   operand_names[operand],
                   operands[operand],
                   mode_names(term, operands[operand]),
                   origin_of(operand_names[operand], places, term)}));
  }
  einsum::Vertex vertex =
      output_vertex(std::move(labels), std::move(body).value(), output_name(operand_names));
  vertex.operands = std::move(inputs);
  vertex.origin = origin_of(vertex.name, places, syntax.output.value_or(syntax.operands.front()));
  graph.outputs.push_back({"out", graph.add(std::move(vertex))});
  const SourceSpan written = syntax.output.value_or(syntax.operands.front()).span;
  Diagnostics warnings(source);
  SumWarnings(warnings, cure_for_sums(operands.size())).look_at_new(graph, written);
  return {std::move(graph), std::move(warnings)};
}

}  // namespace tessera::frontend
