#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/source_places.h"
#include "frontend/einsum/program/scope.h"
#include "frontend/einsum/program/sum_warnings.h"

namespace tessera::frontend {

class Environment;
class Resolver;

/// Binds the statements of a program in their order; a statement that fails spoils only itself.
class ProgramBinder {
 public:
  ProgramBinder(const ProgramSyntax& syntax, const ProgramSyntax& prelude, const Bindings& bindings,
                const Vocabulary& vocabulary, Diagnostics& findings, Diagnostics& warnings);

  /// Binds everything; the graph has a meaning only if there are no findings.
  einsum::Graph bind();

 private:
  /// An aggregate of the prelude: one of a scan.
  void add_scanned_aggregate(const AggregateStatement& statement, const ProgramSyntax& prelude);
  void collect_definitions();
  void bind_statement(const InputStatement& statement, SourceSpan span);
  void bind_statement(const LabelStatement& statement, SourceSpan span);
  void bind_statement(const ParameterStatement& statement, SourceSpan span);
  void bind_statement(const MacroStatement& statement, SourceSpan span);
  void bind_statement(const AggregateStatement& statement, SourceSpan span);
  void bind_statement(const Assignment& statement, SourceSpan span);
  void bind_statement(const OutputStatement& statement, SourceSpan span);

  void bind_input(const InputSyntax& input, std::optional<ArrayType> type);
  void keep_sizes(const std::map<std::string, LabelSize>& sizes);
  std::optional<einsum::VertexId> make_vertex(const Assignment& assignment, SourceSpan span);
  bool add_left_index(const IndexSyntax& index, const std::string& tensor, Environment& environment,
                      Resolver& resolver);
  bool add_left_labels(const Assignment& assignment, Environment& environment, Resolver& resolver);
  void bind_outputs();
  void bind_unread_outputs();

  std::optional<int64_t> extent_of(ExpressionId expression, const std::string& label);
  bool is_new_name(const NameSyntax& name);
  void report(SourceSpan span, std::string message, std::string help = "",
              std::vector<SourceSpan> others = {});
  void report(const Error& error, SourceSpan span);

  const ProgramSyntax& syntax_;
  const Bindings& bindings_;
  const Vocabulary& vocabulary_;
  Diagnostics& findings_;
  const SourcePlaces places_;  // in the user's text
  SumWarnings sum_warnings_;
  ProgramScope scope_;
  einsum::Graph graph_;
  std::vector<std::string> assigned_;  // tensors in the order of their statements
  std::vector<NameSyntax> outputs_;
  std::map<std::string, SourceSpan> parameters_;
};

}  // namespace tessera::frontend
