#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "expr/function.h"
#include "sql/tensor_part.h"

namespace tessera::sql {

/// Where random numbers come from: a key for each call of a statement, so that no two are alike and
/// the same statement draws the same again.
class DrawSource {
 public:
  virtual ~DrawSource() = default;
  virtual int64_t new_key() = 0;
  /// The labels of the rows that are computed, when a term is said.
  virtual const Labels& row_labels() const = 0;
};

/// What a function of tensors is given.
struct TensorCall {
  std::string name;  // as the user called it, for messages
  std::vector<Term> arguments;
  FreshLabels& labels;
  const expr::FunctionRegistry& functions;
  DrawSource* draws = nullptr;
};

/// A function of tensors: `matmul`, `trace`, … One file each in functions/, registered there. Every
/// scalar function of expr/ is one too, element by element.
struct TensorFunction {
  static constexpr size_t kAnyNumber = SIZE_MAX;

  std::string name;
  std::string arguments;  // "a, b"
  std::string summary;    // one line for the reference page
  size_t arity = 1;
  /// The result. Errors: `user`, naming function and shapes, where the arguments do not go
  /// together.
  Term (*apply)(TensorCall& call) = nullptr;
  bool is_of_scalars =
      false;  // it makes tensors, or random numbers, where all arguments are scalars
};

/// The functions that SQL knows of tensors. Threads: filled once, then read by any number.
class TensorFunctionRegistry {
 public:
  void add(TensorFunction function);
  /// The same under another name.
  void add_alias(const std::string& name, const std::string& alias);
  const TensorFunction* find(const std::string& name) const;  // null if there is none
  std::vector<const TensorFunction*> all() const;             // sorted by name

 private:
  std::map<std::string, TensorFunction> functions_;
};

/// Adds every function of functions/ (the list is generated from the folder).
void register_all_tensor_functions(TensorFunctionRegistry& registry);

/// Errors: `user`, naming the function and the shape, unless an argument has so many modes.
void require_modes(const TensorCall& call, size_t argument, size_t num_modes);

/// "matrix[10][20]": a shape in words of SQL.
std::string shape_text(const Shape& shape);

/// A scalar function element by element; what has fewer modes than another argument is repeated
/// along its first ones. What may outgrow integers of fewer than 64 bits is computed in i64.
/// Errors: `user` where extents differ, or where it has no meaning for the dtypes.
Term elementwise(const std::string& function, const std::vector<Term>& arguments,
                 const expr::FunctionRegistry& functions, const std::string& shown_name);

/// An expression that binds the labels at some positions, as softmax does: it needs labels of its
/// own there. If a label stands at another position too (on a diagonal), the expression has the
/// spare label of its position instead, and of that label's positions the one wanted is taken.
program::Expression at_distinct(
    const Expressions& indices, const std::vector<size_t>& positions, const Labels& spares,
    const std::function<program::Expression(const Labels&)>& expression);

/// The same elements in another dtype.
Term converted(const Term& term, DType dtype);

/// A term as sums and products of its elements take it: truth values, which are counted, and
/// integers of fewer than 64 bits are i64, so that their sums do not wrap.
Term summable(const Term& term);

/// A term whose whole numbers are f64.
Term in_floats(const Term& term);

/// What numpy makes of the dtypes of all.
DType common_dtype(const std::vector<Term>& terms);

}  // namespace tessera::sql
