#pragma once

#include <string>
#include <vector>

#include "expr/function.h"
#include "expr/tile_program.h"
#include "types/array_type.h"

namespace tessera::expr {

// What is wrong with an expression, all of it, in words; nothing if it is sound. Nothing that is
// sound makes a later stage crash. Functions that the registry does not know are a problem, not an
// error.

/// What the leaves of an expression may be.
struct Scope {
  std::vector<LabelDecl> labels;
  std::vector<LabelNumber> bound;  // the labels that the statement runs over; all of those above
  std::vector<ArrayType> operands;
  std::vector<DType> parameters;
  bool is_whole = false;  // the expression is a call of a function of whole arrays
};

/// Nodes after their arguments; leaves within the scope; accesses with an index per mode that stays
/// in range; dtypes as the functions bind them.
std::vector<std::string> verify(const Scalar& scalar, const Scope& scope,
                                const FunctionRegistry& functions);

/// One combine, state dtype and identity per entry; combine over two states yields a state.
std::vector<std::string> verify(const Monoid& monoid, const FunctionRegistry& functions);

/// The monoid, its lift from `element` and its finalise.
std::vector<std::string> verify(const BoundAggregate& aggregate, DType element,
                                const FunctionRegistry& functions);

/// Extents of at least 0, and a size that is countable.
std::vector<std::string> verify(const ArrayType& type);

/// Labels with distinct names and extents of at least 0.
std::vector<std::string> verify(const std::vector<LabelDecl>& labels);

/// `out` and `over` are labels of the table, none of them twice.
std::vector<std::string> verify_labels(const std::vector<LabelDecl>& labels,
                                       const std::vector<LabelNumber>& out,
                                       const std::vector<LabelNumber>& over);

/// One statement over what the scope has: its labels, its expressions, what it does with them.
std::vector<std::string> verify_statement(const TileStatement& statement, const Scope& scope,
                                          const FunctionRegistry& functions);

/// The statements in order, each over the inputs (whole tensors of these types) and the results
/// before it.
std::vector<std::string> verify(const TileProgram& program, const std::vector<ArrayType>& inputs,
                                const FunctionRegistry& functions);

}  // namespace tessera::expr
