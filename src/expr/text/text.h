#pragma once

#include <string>
#include <vector>

#include "base/source.h"
#include "expr/aggregate.h"
#include "expr/function.h"
#include "expr/tile_program.h"
#include "types/array_type.h"

namespace tessera::expr {

/// How an expression writes its leaves: the names of labels and of operands ("x0", "QH").
struct Names {
  std::vector<std::string> labels;
  std::vector<std::string> operands;
  std::vector<std::string> parameters;
};

/// What the leaves of an expression are when it is read: the names, and the dtypes the names do not
/// say.
struct Leaves {
  Names names;
  std::vector<DType> operands;
  std::vector<DType> parameters;
};

/// An expression as people write it, with as few parentheses as its operators need:
///   x0[i,k] * x1[k,j]        f32(index(i)) < x0[2*i+1]        max(x0[i] - 1.5, 0)
///
/// A cast is dtype(...), any other function name(...). A constant carries its dtype after a colon,
/// `1.5:f32`, unless it is an argument beside others that are no constants: then it has the dtype
/// of the last of them. An expression that shares parts, and would be long if they were written out
/// again, or is very deep, names its parts first: {$0 = exp(x0[i]); $0 / (1 + $0)}.
///
/// Reading back gives an equal value if the Scalar is as ScalarBuilder makes it.
/// REQUIRES nodes after their arguments, at least one.
std::string to_text(const Scalar& scalar, const Names& names);

/// Throws a user Error with line, column and caret; the dtypes are those that the functions' bind()
/// gives.
Scalar parse_scalar(const SourceText& source, const Leaves& leaves,
                    const FunctionRegistry& functions);

/// A program as it stands in a plan: its labels, the dtypes of its inputs, its statements:
///   [s=128,h=4,a=64] (f32,f32) o[s,h] = sum[a] x0[s,a] * x1[a,h]
///
/// Inputs are x0, x1, ...; results t0, t1, ...; those of the last statement o, or o0, o1, ... A
/// statement of several results is (o0,o1)[i] = argmax[j] (x0[i,j], index(j)). An input that no
/// statement reads has dtype _. A monoid is written by its name; it is the one that the dtype of
/// the first state entry gives.
std::string to_text(const TileProgram& program);

/// The same without labels and dtypes where they follow from the arrays that come in: the labels in
/// the order the statements name them, with the extents of the modes they read plainly.
std::string to_text(const TileProgram& program, const std::vector<ArrayType>& inputs);

/// What names of monoids stand for: a registry, and the monoids that a document itself defines.
struct MonoidScope {
  const AggregateRegistry& registry;
  std::vector<Monoid> defined;

  /// Throws a user Error if there is none.
  Monoid find(const std::string& name, DType first_state) const;
};

/// Reads either form; `inputs` serves the short one and may be empty for the long one.
TileProgram parse_program(const SourceText& source, const std::vector<ArrayType>& inputs,
                          const MonoidScope& monoids, const FunctionRegistry& functions);

/// A monoid by its name and the dtype of its first state entry: "sum:f32".
std::string reference_to(const Monoid& monoid);

/// Whether the registry has this very monoid under its name.
bool is_registered(const Monoid& monoid, const AggregateRegistry& registry);

/// A monoid in full:
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

/// An aggregate in full: its monoid, how an element and its position become a state, the result:
///   absmax:f64 by absmax:f64 (a, b) -> max(abs(a), abs(b)) identity 0; (x, i) -> x; (a) -> a
/// followed by "; not of nothing" where it has no value for empty input.
std::string to_text(const NamedAggregate& aggregate);
NamedAggregate parse_aggregate(const SourceText& source, const FunctionRegistry& functions);

}  // namespace tessera::expr
