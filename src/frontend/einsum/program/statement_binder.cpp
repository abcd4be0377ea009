#include "frontend/einsum/program/statement_binder.h"

#include <numeric>
#include <optional>
#include <utility>

#include "base/source_places.h"
#include "frontend/einsum/program/environment.h"
#include "frontend/einsum/program/number_warnings.h"
#include "frontend/einsum/program/prelude.h"
#include "frontend/einsum/program/resolver.h"
#include "frontend/einsum/program/vertices.h"

namespace tessera::frontend {

namespace {

/// The number of groups that an index on the left says. REQUIRES that it is a number.
int64_t number_of_groups(const IndexSyntax& index, const ProgramSyntax& syntax) {
  return literal_as<int64_t>(std::get<NumberSyntax>(syntax.at(*index.num_groups).of).value);
}

void add_left_side(const KnownStatement& statement, Environment& environment, Resolver& resolver) {
  for (const IndexSyntax& index : statement.assignment.labels) {
    if (index.num_groups) {
      resolver.add_left_group(index, environment, nullptr, std::nullopt);
      resolver.give_left_extent(number_of_groups(index, statement.syntax), index.span);
    } else {
      resolver.add_left_label(std::get<AccessSyntax>(statement.syntax.at(*index.value).of).name,
                              environment);
    }
  }
}

einsum::Vertex input_vertex(const std::string& name, const ArrayType& type) {
  einsum::Vertex vertex;
  vertex.op = einsum::Input{};
  vertex.name = name;
  vertex.type = type;
  for (size_t mode = 0; mode < type.shape.size(); ++mode) {
    vertex.labels.push_back(fmt::format("m{}", mode));
  }
  return vertex;
}

}  // namespace

StatementBinder::StatementBinder(const Vocabulary& vocabulary)
    : vocabulary_(vocabulary), prelude_(parsed_prelude()) {
  add_prelude(prelude_, vocabulary_, scope_);
}

ProgramScope StatementBinder::scope_of(const KnownStatement& statement,
                                       einsum::Graph& graph) const {
  ProgramScope scope = scope_;
  for (const auto& [label, extent] : statement.label_extents) {
    scope.label_sizes[label] = {extent, {}, true};
  }
  for (const auto& [name, type] : statement.tensors) {
    Tensor tensor;
    tensor.type = type;
    tensor.vertex = graph.add(input_vertex(name, type));
    scope.tensors[name] = std::move(tensor);
  }
  return scope;
}

Result<einsum::Graph> StatementBinder::bind(const KnownStatement& statement) const {
  Diagnostics findings(SourceText{});
  einsum::Graph graph;
  const ProgramScope scope = scope_of(statement, graph);
  Environment environment(statement.syntax);
  Resolver resolver(scope, vocabulary_, findings);
  add_left_side(statement, environment, resolver);
  const std::optional<ResolvedExpression> resolved =
      resolver.resolve(statement.assignment.value, environment);
  if (!resolved) {
    TESSERA_CHECK(!findings.empty(), "a statement that waits for a run, in a program that grows");
    return findings;
  }
  const SourcePlaces places(findings.source());
  // Warnings quote the user's text, and such a statement has none.
  Diagnostics unread(findings.source());
  NumberWarnings warnings(unread);
  VertexMaker maker(*resolved, scope, vocabulary_, places, graph, warnings);
  const std::string& name = statement.assignment.name.text;
  try {
    std::vector<LabelIndex> out(statement.assignment.labels.size());
    std::iota(out.begin(), out.end(), 0);
    graph.outputs.push_back({name, maker.make(name, out, {})});
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) {
      throw;
    }
    findings.add({error.kind(), {}, error.message(), "", {}});
    return findings;
  }
  return graph;
}

}  // namespace tessera::frontend
