#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "expr/aggregate.h"
#include "expr/function.h"
#include "ir/einsum/graph.h"
#include "types/array_type.h"

namespace tessera::frontend {

/// The names a program may use. Threads: read-only.
struct Vocabulary {
  const expr::FunctionRegistry& functions;
  const expr::AggregateRegistry& aggregates;
};

/// Facts about a program's data that are known before it is bound.
struct Bindings {
  std::map<std::string, ArrayType> inputs;    // by input name
  std::map<std::string, Literal> parameters;  // by parameter name
  std::set<std::string> column_major = {};    // the inputs whose files are
  // counts that earlier rounds found, by their names
  std::map<std::string, int64_t> counts = {};
  std::map<std::string, ArrayType> left = {};  // tensors of the program that these left
};

/// A number that only a run can find, and that extents of a program depend on. The result with that
/// name holds it; a negative one counts as 0.
struct Count {
  std::string name;
  std::string what;  // the counted things: "i of Z"
  SourceSpan span;
  std::optional<int64_t> at_most = {};  // if the program bounds it
};

/// A program as far as its extents are known: all of it, or the part that must run first to find
/// them. In the second case the results are the count, and the tensors computed for it that later
/// rounds read.
struct BoundProgram {
  einsum::Graph graph;
  std::optional<Count> waits_for = {};
  /// The labels of a program that runs in several parts, from all parts.
  std::set<std::string> labels = {};
  /// The tensors that statements define: vertices of these names, which an earlier run may leave
  /// (Bindings::left).
  std::set<std::string> defined = {};
};

/// Returns the storage order of an input's file, given the inputs that are column-major.
inline StorageOrder storage_order_of(const std::string& input,
                                     const std::set<std::string>& column_major) {
  return column_major.count(input) == 0 ? StorageOrder::row_major : StorageOrder::column_major;
}

/// The name of an equation's text in errors and origins.
inline constexpr const char* kEquationName = "<equation>";

/// An einsum in numpy's notation: `ij,jk->ik`.
///
/// `join` and `aggregate` replace ⊗ and ⊕: `join` is a function name or an expression over x, y (or
/// x1...xn), `aggregate` an aggregate's name. If numpy and torch differ (an ellipsis left out of
/// the output), torch's rule holds: its axes are summed. Operands of extent 1 are broadcast. In
/// messages inputs are called `A`, `B`, ... and the output `out`. The graph comes with warnings of
/// sums that may wrap.
struct EquationOptions {
  std::optional<std::string> join;
  std::optional<std::string> aggregate;
  std::set<std::string> column_major = {};  // the operands with column-major files, by name
};
Result<einsum::Graph> bind_equation(const std::string& equation,
                                    const std::vector<ArrayType>& operands,
                                    const std::vector<std::string>& operand_names,
                                    const EquationOptions& options, const Vocabulary& vocabulary);

/// Binds a program in the language of `.ein` files. `source.name` is the name that errors and
/// origins show. The program comes with warnings: of sums that may wrap, and of expressions that
/// group otherwise than they look.
Result<BoundProgram> bind_program(const SourceText& source, const Bindings& bindings,
                                  const Vocabulary& vocabulary);

/// An input that a program declares, with the dtype and extents that its header fixes. A caller
/// reads these, in order, to know which files to open before it binds.
struct DeclaredInput {
  std::string name;
  std::optional<DType> dtype;
  std::vector<std::optional<int64_t>> extents;
  SourceSpan span;
};
Result<std::vector<DeclaredInput>> inputs_of_program(const SourceText& source);

}  // namespace tessera::frontend
