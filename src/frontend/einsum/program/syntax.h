#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/source.h"
#include "types/literal.h"

namespace tessera::frontend {

/// A name at its place.
struct NameSyntax {
  std::string text;
  SourceSpan span;
};

struct ExpressionSyntax;
using ExpressionId = Id<ExpressionSyntax>;

struct NumberSyntax {
  Literal value;
};

/// The direction and variant of a scan, after its label: `reverse exclusive by g[i]`.
struct ScanOrderSyntax {
  std::vector<NameSyntax> words;
  std::optional<ExpressionId> segments;  // a scan begins anew where this changes
};

/// One mode of an access or of a left side, or one label after an aggregate or a scan: `i`, `i+k`,
/// `0:4`, `I[i]`, `g = I[i] of 10`.
struct IndexSyntax {
  std::optional<ExpressionId> value;  // of a slice: its begin
  std::optional<ExpressionId> end;
  bool is_slice = false;
  SourceSpan span;
  std::optional<NameSyntax> label = {};  // of a slice, `e = 0:4`, or of groups
  std::optional<ExpressionId> pad = {};  // the argument of `pad(...)` after it
  std::optional<ExpressionId> num_groups = {};
  std::optional<ScanOrderSyntax> order = {};
};

/// `X[i,j]`, or `X` alone: a scalar tensor, a parameter, a constant, an argument of a macro.
struct AccessSyntax {
  NameSyntax name;
  std::vector<IndexSyntax> indices;
  bool has_brackets = false;
};

/// `f(a, b)`; an operator is a call of the function it stands for, its name the operator's place.
struct CallSyntax {
  NameSyntax function;
  std::vector<ExpressionId> arguments;
  bool is_operator = false;
};

/// An aggregate or a macro with its labels: `sum[a] x`, `sum[a where c] x`, `softmax[t](x)`.
struct ApplicationSyntax {
  NameSyntax name;
  std::vector<IndexSyntax> labels;
  std::vector<ExpressionId> arguments;
  std::optional<ExpressionId> condition;
};

/// A version of a tensor: `W{n+1}[i,j]`. It is read but not computed yet.
struct VersionSyntax {
  NameSyntax name;
  ExpressionId version;
  std::vector<IndexSyntax> indices;
};
inline constexpr const char* kVersion = "a version of a tensor";

/// A part of the language that is parsed but not built yet; `feature` names it.
struct UnsupportedSyntax {
  std::string feature;
};

struct ExpressionSyntax {
  std::variant<NumberSyntax, AccessSyntax, CallSyntax, ApplicationSyntax, VersionSyntax,
               UnsupportedSyntax>
      of;
  SourceSpan span;
  int depth = 1;  // of the tree below, this node included
};

/// A mode of an input: `i`, `i=1797`, or `1`, a mode of extent 1 that reads leave out.
struct HeaderLabelSyntax {
  NameSyntax name;  // `1` where is_one
  std::optional<ExpressionId> size;
  bool is_one = false;
};

struct InputSyntax {
  NameSyntax name;
  std::vector<HeaderLabelSyntax> labels;
  std::optional<NameSyntax> dtype;
  SourceSpan span;  // from the name to the closing bracket
};

/// `input Q[s,a], K[t,a] : f32`.
struct InputStatement {
  std::vector<InputSyntax> inputs;
};

/// `label i = 10`.
struct LabelStatement {
  NameSyntax name;
  ExpressionId size;
};

/// `param eta = 0.1`.
struct ParameterStatement {
  NameSyntax name;
  std::optional<ExpressionId> value;
};

/// `epsilon = 1e-5` in the head of a macro; without a value it must be given.
struct MacroParameterSyntax {
  NameSyntax name;
  std::optional<ExpressionId> value;
};

/// `def softmax[j](x) = ...`.
struct MacroStatement {
  NameSyntax name;
  std::vector<NameSyntax> labels;
  std::vector<MacroParameterSyntax> arguments;
  ExpressionId body;
};

/// `aggregate name(x, y) = expr identity c`, or with states of several numbers
/// `aggregate name((a, b), (c, d)) = (expr, expr) identity (e, f) gives expr`.
struct AggregateStatement {
  NameSyntax name;
  std::vector<NameSyntax> left;
  std::vector<NameSyntax> right;
  std::vector<ExpressionId> combine;
  std::vector<ExpressionId> identity;
  // over the names of the left state; without it the first of these
  std::optional<ExpressionId> result;
  SourceSpan combine_span;
};

/// The largest value of an index on the left, which gives the number of groups that it makes
/// (counted_syntax.h).
struct GroupCount {
  NameSyntax name;
  ExpressionId value;
  bool is_of_taken = true;  // false: also of elements that every aggregate may leave out
};

/// A keep before it is desugared: the left side of the user's statement, with the condition and the
/// kept expression in one expression, whose reads together fix the extent of the label. `earlier`
/// are statements that keep the label by a condition in the same words.
struct KeptTogether {
  std::vector<IndexSyntax> left;
  ExpressionId both;
  std::vector<std::string> earlier;
};

/// A label on the left that keep selects positions of, in a statement that counted_syntax.h makes:
/// it runs over the positions before the keep, or over those that are kept. Its extent is that of
/// the first of these statements, or that of `like`, a vector over the positions.
struct KeptLabel {
  std::string label;
  NameSyntax like;
  std::optional<KeptTogether> first;
  bool is_after = false;
  std::optional<ExpressionId> condition = {};  // without it no element of the statement is read
};

/// The version that a statement defines: the expression in `W{n+1}[i,j] = …`.
struct DefinedVersion {
  ExpressionId index;
  SourceSpan span;  // from the opening brace to the closing one
};

/// `Y[i,j] = expr`.
struct Assignment {
  NameSyntax name;
  std::vector<IndexSyntax> labels;
  ExpressionId value;
  std::optional<DefinedVersion> version = {};
  std::vector<std::optional<GroupCount>> group_counts = {};  // by index
  std::optional<KeptLabel> kept = {};
};

/// A number that only a run can tell, and that later extents depend on; `what` names the counted
/// things.
struct CountStatement {
  Assignment count;
  std::string what;
};

/// `output Y, Z`.
struct OutputStatement {
  std::vector<NameSyntax> names;
};

struct Statement {
  std::variant<InputStatement, LabelStatement, ParameterStatement, MacroStatement,
               AggregateStatement, Assignment, OutputStatement, CountStatement>
      of;
  SourceSpan span;
};

/// A program as written, before names are resolved. Expressions lie in one vector, arguments before
/// the nodes that use them, so that deep nesting costs no stack.
struct ProgramSyntax {
  std::vector<ExpressionSyntax> expressions;
  std::vector<Statement> statements;
  std::optional<ExpressionId> expression;  // of a text that is one expression

  const ExpressionSyntax& at(ExpressionId id) const { return expressions[id.index()]; }
};

/// True if an index is a number, as in X[i,3].
inline bool is_number(const IndexSyntax& index, const ProgramSyntax& syntax) {
  return !index.is_slice && std::holds_alternative<NumberSyntax>(syntax.at(*index.value).of);
}

}  // namespace tessera::frontend
