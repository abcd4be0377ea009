#pragma once

#include <string>
#include <vector>

#include "expr/function.h"
#include "expr/tile_program.h"
#include "types/array_type.h"

namespace tessera::expr {

// Verifiers of expressions, which return all errors in words; nothing if it is sound. A sound
// expression makes no later stage crash. Functions that the registry does not know are a problem,
// not an exception.

/// The scope of an expression's leaves.
struct Scope {
  std::vector<LabelDecl> labels;
  std::vector<LabelNumber> bound;  // the labels that the statement runs over; by default all
  std::vector<ArrayType> operands;
  std::vector<DType> parameters;
  bool is_whole = false;  // the expression is a call of a function of whole arrays
};

/// Checks that nodes come after their arguments, leaves are within the scope, accesses have an
/// index per mode that stays in range, and dtypes are those that the functions bind.
std::vector<std::string> verify(const Scalar& scalar, const Scope& scope,
                                const FunctionRegistry& functions);

/// Checks that there is one combine, state dtype and identity per entry, and that combining two
/// states yields a state.
std::vector<std::string> verify(const Monoid& monoid, const FunctionRegistry& functions);

/// Checks the monoid, its lift from `element` and its finalise.
std::vector<std::string> verify(const BoundAggregate& aggregate, DType element,
                                const FunctionRegistry& functions);

/// Checks for extents of at least 0, and a countable size.
std::vector<std::string> verify(const ArrayType& type);

/// Checks for labels with distinct names and extents of at least 0.
std::vector<std::string> verify(const std::vector<LabelDecl>& labels);

/// Checks that `out` and `over` are labels of the table, none of them twice.
std::vector<std::string> verify_labels(const std::vector<LabelDecl>& labels,
                                       const std::vector<LabelNumber>& out,
                                       const std::vector<LabelNumber>& over);

/// Checks one statement in its scope: its labels, its expressions, its operation.
std::vector<std::string> verify_statement(const TileStatement& statement, const Scope& scope,
                                          const FunctionRegistry& functions);

/// Checks the statements in order, each over the inputs (whole tensors of these types) and the
/// results before it.
std::vector<std::string> verify(const TileProgram& program, const std::vector<ArrayType>& inputs,
                                const FunctionRegistry& functions);

}  // namespace tessera::expr
