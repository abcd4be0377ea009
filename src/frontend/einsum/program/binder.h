#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/source_places.h"
#include "frontend/einsum/program/number_warnings.h"
#include "frontend/einsum/program/scope.h"
#include "frontend/einsum/program/strided_syntax.h"
#include "frontend/einsum/program/strided_writes.h"
#include "frontend/einsum/program/sum_warnings.h"

namespace tessera::frontend {

class Environment;
class Resolver;

/// A binder of the statements of a program, in order; a statement that fails spoils only itself.
class ProgramBinder {
 public:
  ProgramBinder(const ProgramSyntax& syntax, const ProgramSyntax& prelude, const Bindings& bindings,
                const Vocabulary& vocabulary, Diagnostics& findings, Diagnostics& warnings);

  /// Binds everything up to the statement that waits for a run. The result has a meaning only if
  /// there are no findings.
  BoundProgram bind();

 private:
  /// The statements so far that together write a tensor.
  struct WrittenParts {
    size_t num_statements = 0;  // of the program
    size_t num_bound = 0;
    std::vector<StridedWrite> writes;
    bool has_failed = false;
  };

  void collect_definitions();
  void bind_statement(const InputStatement& statement, SourceSpan span);
  void bind_statement(const LabelStatement& statement, SourceSpan span);
  void bind_statement(const ParameterStatement& statement, SourceSpan span);
  void bind_statement(const MacroStatement& statement, SourceSpan span);
  void bind_statement(const AggregateStatement& statement, SourceSpan span);
  void bind_statement(const Assignment& statement, SourceSpan span);
  void bind_statement(const OutputStatement& statement, SourceSpan span);
  void bind_statement(const CountStatement& statement, SourceSpan span);

  void bind_input(const InputSyntax& input, std::optional<ArrayType> type);
  void keep_sizes(const std::map<std::string, LabelSize>& sizes);
  /// Makes the vertex of a statement, under a name of its own, and returns its place on the left.
  std::optional<StridedWrite> make_vertex(const Assignment& assignment, const std::string& name,
                                          SourceSpan span);
  bool reads_nothing(ExpressionId expression) const;
  /// Returns the extent of a label that is kept; nothing if a fault of it is reported.
  std::optional<int64_t> extent_of_kept(const Assignment& assignment);
  /// Replaces the rows of a keep by those of an earlier keep that would have the same.
  void share_kept(const Assignment& assignment, int64_t extent);
  bool is_shared(const std::string& name);
  void define(const Assignment& statement, std::optional<einsum::VertexId> vertex);
  void bind_part(const Assignment& statement, SourceSpan span, WrittenParts& written);
  std::optional<einsum::VertexId> join(const std::string& name,
                                       const std::vector<StridedWrite>& writes, SourceSpan span);
  bool add_left_index(const Assignment& assignment, size_t number, Environment& environment,
                      Resolver& resolver);
  void report_left_index(const IndexSyntax& index, const std::string& name);
  bool add_left_labels(const Assignment& assignment, Environment& environment, Resolver& resolver);
  /// Binds a tensor that an earlier round left, in place of its statement.
  void bind_left(const Assignment& statement, const ArrayType& type, SourceSpan span);
  void check_laws_used(const ResolvedExpression& statement);
  void report_broken_laws();
  void bind_outputs();
  void bind_unread_outputs();
  void bind_left_outputs();

  std::set<std::string> defined() const;
  std::optional<int64_t> extent_of(ExpressionId expression, const std::string& label);
  bool is_new_name(const NameSyntax& name, bool reads_itself = false);
  void report(SourceSpan span, std::string message, std::string help = "",
              std::vector<SourceSpan> others = {});
  void report(const Error& error, SourceSpan span);

  const ProgramSyntax& syntax_;
  const Bindings& bindings_;
  const Vocabulary& vocabulary_;
  Diagnostics& findings_;
  const SourcePlaces places_;  // in the user's text
  const StridedSyntax strided_;
  SumWarnings sum_warnings_;
  NumberWarnings number_warnings_;
  ProgramScope scope_;
  einsum::Graph graph_;
  std::vector<std::string> assigned_;  // tensors in the order of their statements
  std::vector<NameSyntax> outputs_;
  std::map<std::string, SourceSpan> parameters_;
  std::map<std::string, WrittenParts> written_;  // tensors whose statements write parts
  // a name, and the name of an earlier statement that replaces it
  std::map<std::string, std::string> shared_;
  std::map<std::string, int64_t> counts_;  // the known ones
  std::optional<Count> waits_for_;         // no tensor behind it is bound
  size_t num_looked_at_ = 0;               // statements
};

}  // namespace tessera::frontend
