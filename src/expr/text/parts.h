#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expr/text/scanner.h"
#include "expr/text/text.h"

namespace tessera::expr {

// The pieces that the texts of statements, programs and graphs are made of. Readers start where the
// scanner stands and stop behind what they read.

/// How tightly an expression must bind to stand without parentheses.
enum class Binding : uint8_t { comparison, sum, product, sign, power, leaf };

std::string scalar_text(const Scalar& scalar, const Names& names, Binding binding);
Scalar read_scalar(Scanner& scanner, const Leaves& leaves, const FunctionRegistry& functions,
                   Binding binding = Binding::comparison);

/// "2*i-k+1": signed terms, then the offset where there is one.
std::string affine_text(const AffineIndex& index, const std::vector<std::string>& labels);
AffineIndex read_affine(Scanner& scanner, const std::vector<std::string>& labels);

/// A label that must be one of these.
LabelNumber read_label(Scanner& scanner, const std::vector<std::string>& labels);

/// "[s=128,a=64]".
std::string labels_text(const std::vector<LabelDecl>& labels);
std::vector<LabelDecl> read_labels(Scanner& scanner);

/// The name of a label, or "?7" where there is none of that number.
std::string label_name(const std::vector<std::string>& names, LabelNumber label);
std::vector<std::string> names_of(const std::vector<LabelDecl>& labels);

/// One statement as text: `QH[s,h] = sum[a] Q[s,a] * W[a,h]`.
struct StatementForm {
  std::vector<std::string> results;  // several stand in parentheses
  std::vector<LabelNumber> out;
  std::string aggregate;  // its name; empty without one
  std::vector<LabelNumber> over;
  std::vector<const Scalar*> bodies;
  std::optional<Leaf> leaf = std::nullopt;
};
std::string statement_text(const StatementForm& form, const Names& names);

struct ReadStatement {
  std::vector<std::string> results;
  std::vector<LabelNumber> out;
  std::string aggregate;
  SourceSpan aggregate_span;
  std::vector<LabelNumber> over;
  std::vector<Scalar> bodies;
  std::optional<Leaf> leaf = std::nullopt;
};
/// Labels that are new stand in `out` or `over`; they are appended to `leaves.names.labels`, unless
/// `fixed_labels`.
ReadStatement read_statement(Scanner& scanner, Leaves& leaves, bool fixed_labels,
                             const FunctionRegistry& functions);

TileProgram read_program(Scanner& scanner, const std::vector<ArrayType>& inputs,
                         const MonoidScope& monoids, const FunctionRegistry& functions);
Monoid read_monoid(Scanner& scanner, const FunctionRegistry& functions);
NamedAggregate read_aggregate(Scanner& scanner, const FunctionRegistry& functions);

/// Whether the labels are numbered in the order that statements, each by its `out` and then its
/// `over`, first name them.
bool numbered_as_named(size_t num_labels, const std::vector<std::vector<LabelNumber>>& named);

/// The extent of every label: that of the first mode that a body reads by this label alone; -1
/// where none does. Operands without a shape here are passed over.
std::vector<int64_t> plain_extents(size_t num_labels, const std::vector<const Scalar*>& bodies,
                                   const std::vector<Shape>& operands);

}  // namespace tessera::expr
