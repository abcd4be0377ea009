#pragma once

#include <string>
#include <vector>

#include "base/source.h"
#include "expr/aggregate.h"
#include "expr/function.h"
#include "expr/tile_program.h"
#include "types/array_type.h"

namespace tessera::expr {

/// The names of an expression's leaves: of labels and of operands ("x0", "QH").
struct Names {
  std::vector<std::string> labels;
  std::vector<std::string> operands;
  std::vector<std::string> parameters;
};

/// The leaves of an expression for a reader: the names, and the dtypes that the names do not tell.
struct Leaves {
  Names names;
  std::vector<DType> operands;
  std::vector<DType> parameters;
};

/// Formats an expression for people, with as few parentheses as its operators need:
///   x0[i,k] * x1[k,j]        f32(index(i)) < x0[2*i+1]        max(x0[i] - 1.5, 0)
///
/// A cast is dtype(...), any other function name(...). A constant carries its dtype after a colon,
/// `1.5:f32`, unless it is an argument beside others that are no constants: then it has the dtype
/// of the last of them. An expression that shares parts, and would be long without sharing, or is
/// very deep, names its parts first: {$0 = exp(x0[i]); $0 / (1 + $0)}.
///
/// Reading back gives an equal value if the Scalar is in the form of a ScalarBuilder. REQUIRES
/// nodes after their arguments, at least one.
std::string to_text(const Scalar& scalar, const Names& names);

/// Reads an expression. Throws a user Error with line, column and caret; the dtypes are those of
/// the functions' bind().
Scalar parse_scalar(const SourceText& source, const Leaves& leaves,
                    const FunctionRegistry& functions);

/// Formats a program for a plan: its labels, the dtypes of its inputs, its statements:
///   [s=128,h=4,a=64] (f32,f32) o[s,h] = sum[a] x0[s,a] * x1[a,h]
///
/// Inputs are x0, x1, ...; results t0, t1, ...; those of the last statement o, or o0, o1, ... A
/// statement of several results is (o0,o1)[i] = argmax[j] (x0[i,j], index(j)). An input that no
/// statement reads has dtype _. A monoid is written by its name; it is the one for the dtype of the
/// first state entry.
std::string to_text(const TileProgram& program);

/// Formats a program without labels and dtypes if they follow from the input arrays: the labels in
/// the order the statements name them, with the extents of the modes they read plainly.
std::string to_text(const TileProgram& program, const std::vector<ArrayType>& inputs);

/// The meanings of monoids' names: a registry, and the monoids that a document itself defines.
struct MonoidScope {
  const AggregateRegistry& registry;
  std::vector<Monoid> defined;

  /// Returns the monoid. Throws a user Error if there is none.
  Monoid find(const std::string& name, DType first_state) const;
};

/// Reads either form; `inputs` serves the short one and may be empty for the long one.
TileProgram parse_program(const SourceText& source, const std::vector<ArrayType>& inputs,
                          const MonoidScope& monoids, const FunctionRegistry& functions);

/// Returns a monoid's name and the dtype of its first state entry: "sum:f32".
std::string reference_to(const Monoid& monoid);

/// True if the registry has exactly this monoid under its name.
bool is_registered(const Monoid& monoid, const AggregateRegistry& registry);

/// Formats a monoid in full:
///   absmax:f64 (a, b) -> max(abs(a), abs(b)) identity 0
///   spread:(f64,f64) (a0, a1, b0, b1) -> (min(a0, b0), max(a1, b1)) identity (inf, -inf)
std::string to_text(const Monoid& monoid);
Monoid parse_monoid(const SourceText& source, const FunctionRegistry& functions);

/// An aggregate with the dtype of the elements it is bound to.
struct NamedAggregate {
  std::string name;
  DType element = DType::f32;
  BoundAggregate aggregate;
};

/// Formats an aggregate in full: its monoid, the state of an element and its position, the result:
///   absmax:f64 by absmax:f64 (a, b) -> max(abs(a), abs(b)) identity 0; (x, i) -> x; (a) -> a
/// followed by "; not of nothing" if it has no value for empty input.
std::string to_text(const NamedAggregate& aggregate);
NamedAggregate parse_aggregate(const SourceText& source, const FunctionRegistry& functions);

}  // namespace tessera::expr
