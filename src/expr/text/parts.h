#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "expr/text/scanner.h"
#include "expr/text/text.h"

namespace tessera::expr {

// The parts of the texts of statements, programs and graphs. Readers start at the scanner's place
// and stop behind what they read.

/// The precedence that an expression needs to stand without parentheses.
enum class Binding : uint8_t { comparison, sum, product, sign, power, leaf };

std::string scalar_text(const Scalar& scalar, const Names& names, Binding binding);
Scalar read_scalar(Scanner& scanner, const Leaves& leaves, const FunctionRegistry& functions,
                   Binding binding = Binding::comparison);

/// Formats an index between the brackets of an access, its position and then its boundary:
///   i        3        2*i+k-1        (i-k)/2 pad 0        x1[i] edge        x1[i] + 1 reflect
///
/// `node_text` writes the node of a gathered index, `read_node` reads it.
std::string index_text(const Index& index, const std::vector<std::string>& labels,
                       const std::function<std::string(int32_t)>& node_text);
Index read_index(Scanner& scanner, const std::vector<std::string>& labels,
                 const std::function<int32_t()>& read_node);

/// Formats terms and offset only: "2*i-k+1", signed terms, then the offset if there is one.
std::string affine_text(const AffineIndex& index, const std::vector<std::string>& labels);
AffineIndex read_affine(Scanner& scanner, const std::vector<std::string>& labels);

/// Reads a label that must be one of these.
LabelNumber read_label(Scanner& scanner, const std::vector<std::string>& labels);

/// Formats "[s=128,a=64]".
std::string labels_text(const std::vector<LabelDecl>& labels);
std::vector<LabelDecl> read_labels(Scanner& scanner);

/// Returns the name of a label, or "?7" if there is none of that number.
std::string label_name(const std::vector<std::string>& names, LabelNumber label);
std::vector<std::string> names_of(const std::vector<LabelDecl>& labels);

/// The options of a scan; its label stands in place of the reduced labels of an aggregate.
struct ScanForm {
  Scan::Direction direction = Scan::Direction::forward;
  bool is_exclusive = false;
};

/// One statement as text: `QH[s,h] = sum[a] Q[s,a] * W[a,h]`, `C[i] = scan sum[i; exclusive] X[i]`,
/// `X[j] = whole[i,j] solve(A[i,j], B[i])`, whose core labels are `over`.
struct StatementForm {
  std::vector<std::string> results;  // several stand in parentheses
  std::vector<LabelNumber> out;
  std::string aggregate;  // its name; empty without one
  std::vector<LabelNumber> over;
  std::vector<const Scalar*> bodies;
  std::optional<Leaf> leaf = std::nullopt;
  std::optional<ScanForm> scan = std::nullopt;
  bool is_whole = false;
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
  std::optional<ScanForm> scan = std::nullopt;
  bool is_whole = false;
};
/// Reads a statement. New labels stand in `out` or `over`; they are appended to
/// `leaves.names.labels`, unless `fixed_labels`.
ReadStatement read_statement(Scanner& scanner, Leaves& leaves, bool fixed_labels,
                             const FunctionRegistry& functions);

TileProgram read_program(Scanner& scanner, const std::vector<ArrayType>& inputs,
                         const MonoidScope& monoids, const FunctionRegistry& functions);
Monoid read_monoid(Scanner& scanner, const FunctionRegistry& functions);
NamedAggregate read_aggregate(Scanner& scanner, const FunctionRegistry& functions);

/// True if the labels are numbered in the order that statements, each by its `out` and then its
/// `over`, first name them.
bool numbered_as_named(size_t num_labels, const std::vector<std::vector<LabelNumber>>& named);

/// Returns the extent of every label: that of the first mode that a body reads by this label alone;
/// -1 if none does. Operands without a shape here are skipped.
std::vector<int64_t> plain_extents(size_t num_labels, const std::vector<const Scalar*>& bodies,
                                   const std::vector<Shape>& operands);

}  // namespace tessera::expr
