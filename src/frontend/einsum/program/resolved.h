#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/overload.h"
#include "base/source.h"
#include "expr/index.h"
#include "ir/einsum/graph.h"
#include "types/literal.h"

namespace tessera::frontend {

/// A label of one statement: two aggregates that sum over `j` have two labels.
using LabelIndex = int32_t;

struct StatementLabel {
  std::string name;
  std::optional<int64_t> extent;
  std::optional<int64_t> kept;  // of a kept label: a bound of its extent
  SourceSpan written;           // the place that introduces the label
  SourceSpan span;              // the place that gives the extent
  std::string origin;           // that place in words: `A[i,k]`
  bool is_fixed = false;        // its extent is given by `label` or a slice
  bool is_used = false;
  bool is_bound = false;  // by an aggregate; else on the left
  bool is_bound_by_macro = false;
  bool is_of_part = false;   // a label of one part of a concat
  bool is_of_macro = false;  // a name in the macro's body, not one the user wrote
};

/// A label, or its extent, times a whole number.
struct IndexTerm {
  LabelIndex label = 0;
  int64_t coefficient = 1;
};

/// A sum of labels, extents of labels and a whole number.
struct LinearForm {
  std::vector<IndexTerm> labels;  // each once, no coefficient 0
  std::vector<IndexTerm> sizes;
  int64_t offset = 0;
};

/// The mode of the left side that a label writes: mostly the label itself is the position.
struct LeftMode {
  LinearForm place;                    // of one label
  std::optional<int64_t> extent = {};  // of the mode, if the place is more than a label
  bool is_computed = false;            // written as an expression, whatever its numbers
};

/// An index that is computed from labels.
struct ComputedIndex {
  LinearForm position;
  expr::Boundary outside = expr::Inside{};
  SourceSpan span;
};

/// An index that is the value of a node, an integer.
struct GatherIndex {
  int32_t node = 0;
  expr::Boundary outside = expr::Inside{};
  std::optional<int32_t> guard = {};  // like that of a node
};

/// The index of a mode in a read; a label alone is its position.
using ModeIndex = std::variant<LabelIndex, ComputedIndex, GatherIndex>;

/// Calls visit(label) for the labels that an index has itself, without those of a node.
template <class Visit>
void for_each_label(const ModeIndex& index, Visit visit) {
  std::visit(Overload{[&](LabelIndex label) { visit(label); },
                      [&](const ComputedIndex& computed) {
                        for (const IndexTerm& term : computed.position.labels) {
                          visit(term.label);
                        }
                      },
                      [](const GatherIndex&) {}},
             index);
}

struct ResolvedRead {
  std::string tensor;
  einsum::VertexId vertex;
  ArrayType type;
  std::vector<ModeIndex> index;
};
struct ResolvedIndex {
  LabelIndex label = 0;
};
struct ResolvedSize {
  LabelIndex label = 0;
};
struct ResolvedParameter {
  int32_t position = 0;
};
struct ResolvedCall {
  std::string function;  // registered, or `masked`
  std::vector<int32_t> arguments;
};
struct ResolvedCast {
  std::optional<DType> dtype;  // nothing: to a float or complex, unless it is one already
  int32_t argument = 0;
};
struct ResolvedReduction {
  std::string aggregate;  // registered, or the user's
  std::vector<LabelIndex> over;
  int32_t argument = 0;
  bool is_grouped = false;  // by an index on the left; a group of no elements has the identity
};

/// The running states of an aggregate along a label, which it does not bind.
struct ResolvedScan {
  std::string aggregate;
  LabelIndex along = 0;
  bool is_reverse = false;
  bool is_exclusive = false;
  std::vector<int32_t> arguments;   // one for each entry of the state, or one
  std::optional<int32_t> segments;  // the scan begins anew where this changes
};

/// A function of whole arrays.
struct ResolvedWhole {
  std::string function;
  std::vector<LabelIndex> core;  // its core labels, in the function's order
  std::vector<LabelIndex> over;  // the core labels that the result does not have
  std::vector<int32_t> arguments;
};

/// Parts joined one after the other along a label; each has a label of its own for it.
struct ResolvedConcat {
  struct Part {
    LabelIndex along = 0;
    int32_t argument = 0;
  };
  LabelIndex along = 0;
  std::vector<Part> parts;
};

struct ResolvedNode {
  std::variant<Literal, ResolvedRead, ResolvedIndex, ResolvedSize, ResolvedParameter, ResolvedCall,
               ResolvedCast, ResolvedReduction, ResolvedScan, ResolvedWhole, ResolvedConcat>
      of;
  SourceSpan span;         // of a macro's node: the use of the macro
  std::string macro = {};  // the macro whose body holds the node, as the user wrote it
  /// A condition without which the node's value is never used, so that it must not fail without it
  /// (guards.h); nothing if it is always used. It may stand after the node.
  std::optional<int32_t> guard = {};
  bool is_position = false;  // integers are computed in i64 (positions.h)
};

/// Returns the operation of a node if it is a parameter, a read, a reduction, a scan, a function of
/// whole arrays or a concat; else null.
const ResolvedParameter* parameter_at(const ResolvedNode& node);
const ResolvedRead* read_at(const ResolvedNode& node);
const ResolvedReduction* reduction_at(const ResolvedNode& node);
const ResolvedScan* scan_at(const ResolvedNode& node);
const ResolvedWhole* whole_at(const ResolvedNode& node);
const ResolvedConcat* concat_at(const ResolvedNode& node);

/// An expression with its names resolved and its macros expanded: a tree in a vector, every node
/// after its arguments.
struct ResolvedExpression {
  std::vector<ResolvedNode> nodes;
  int32_t root = -1;
  std::vector<StatementLabel> labels;
  bool reads_failed_tensor = false;
  std::vector<LeftMode> left = {};
  std::optional<int32_t> condition = {};  // without it no element of the statement is used
};

}  // namespace tessera::frontend
