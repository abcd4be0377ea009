#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "expr/monoid.h"
#include "frontend/einsum/einsum.h"
#include "frontend/einsum/expression/value_ranges.h"
#include "types/literal.h"

namespace tessera::frontend {

/// A part of an expression: a node with a dtype, or a number that takes its dtype from the operand
/// beside it (numpy's weak scalars, NEP 50).
struct Value {
  std::variant<Literal, int32_t> of;

  bool is_number() const { return std::holds_alternative<Literal>(of); }
  const Literal& number() const { return std::get<Literal>(of); }
  int32_t node() const { return std::get<int32_t>(of); }
};

/// A number that a float dtype holds as an infinity or as 0, although it is neither.
struct LostNumber {
  Literal number;
  DType dtype = DType::f32;
};

/// True if the dtype holds a finite number that is not 0 as an infinity or as 0.
bool is_lost(const Literal& number, DType dtype);

/// Returns the dtype of a number beside values of dtype `other`, by numpy 2's rule: an integer
/// stays in any numeric dtype, a float beside integers is f64, a complex beside f32 is c64.
DType dtype_beside(const Literal& number, DType other);

/// True if the argument is only a condition: numpy gives where(c, a, b) the type of a and b.
bool is_condition(const std::string& function, size_t position);

/// A builder of typed expressions, bottom-up: numbers are folded, every conversion becomes a Cast
/// node.
///
/// Throws a user Error without a place if a function has no meaning for its arguments; the caller
/// knows the place.
class ExpressionBuilder {
 public:
  explicit ExpressionBuilder(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  Value number(Literal literal) const { return {literal}; }
  Value access(expr::Access access, DType dtype) {
    return {nodes_.access(std::move(access), dtype)};
  }
  Value index_of(expr::LabelNumber label) { return {nodes_.index_of(label)}; }
  /// Adds the position of a label of this extent, which bounds its range.
  Value index_of(expr::LabelNumber label, int64_t extent) {
    extents_[label] = extent;
    return index_of(label);
  }
  Value parameter(int32_t position, DType dtype) { return {nodes_.parameter(position, dtype)}; }

  /// Calls a registered function; REQUIRES that it is registered.
  Value call(const std::string& function, const std::vector<Value>& arguments);

  /// Calls a function whose value is used only if `guard()` is true, and that must not fail
  /// otherwise: an argument that may fail is then replaced by a harmless one. The guard is made
  /// only if it is needed.
  Value guarded_call(const std::string& function, std::vector<Value> arguments,
                     const std::function<Value()>& guard);

  /// Returns an index into a mode of this extent that is used only if `guard()` is true; it is 0
  /// otherwise.
  Value guarded_index(const Value& index, int64_t extent, const std::function<Value()>& guard);

  /// Adds a node of that dtype; a number becomes a constant. Throws if an integer does not fit.
  Value cast(const Value& value, DType dtype);

  /// Returns the numbers that cast() has lost since the last call.
  std::vector<LostNumber> take_lost_numbers() { return std::exchange(lost_numbers_, {}); }

  /// Converts a value at a conversion in the program. Unlike cast, it also rounds a computed f16 or
  /// bf16 to its own dtype.
  Value convert(const Value& value, DType dtype);

  /// Returns the result of a call before it is rounded to f16 or bf16, for a caller that rounds it
  /// when it is stored.
  Value unrounded(const Value& value) const;

  /// Returns the value with its own sums, differences, products and quotients unrounded: a sum of
  /// products carries f32, as a contraction does.
  Value unrounded_terms(const Value& value);

  /// Returns a float or complex number: f64 for an integer or truth value, else the value itself.
  Value floating(const Value& value);

  /// Returns floating(value), with f16 and bf16 as f32: macros compute in it because intermediates
  /// would overflow these.
  Value widened(const Value& value);

  /// Casts the value to the dtype of `other` if that is f16 or bf16, else returns the value.
  Value narrowed(const Value& value, const Value& other);

  /// Returns the value if the mask is true (an integer other than 0), else -inf. A mask of floats
  /// is added, so that -inf masks too.
  Value masked(const Value& value, const Value& mask);

  /// Returns true for elements that a mask leaves in.
  Value is_unmasked(const Value& mask);

  /// Returns the dtype that the value would have as a whole expression.
  DType dtype_of(const Value& value) const;

  /// Returns the expression whose result is `root`.
  expr::Scalar finish(const Value& root);

 private:
  Value rounded(const std::string& function, const Value& called);
  std::optional<Value> compare_mixed_signs(const std::string& function,
                                           const std::vector<Value>& arguments);
  std::vector<DType> argument_dtypes(const std::string& function,
                                     const std::vector<Value>& arguments) const;
  /// Returns the range that a value certainly lies in, for any data.
  ValueRange range_of(const Value& value) const;
  /// Returns the value if the guard is true, else the number, in one dtype.
  Value chosen(const Value& guard, const Value& value, int64_t otherwise, DType dtype);

  const Vocabulary& vocabulary_;
  expr::ScalarBuilder nodes_;
  std::map<expr::LabelNumber, int64_t> extents_;  // of labels whose positions are values
  std::vector<LostNumber> lost_numbers_;
};

/// Returns the element expression of an aggregate. If an f16 or bf16 is computed and the
/// aggregate's state of several numbers holds it, it is rounded first, so that elements of one tile
/// compare equal to states of others.
expr::Scalar rounded_for(const expr::Monoid& monoid, const expr::Scalar& element);

}  // namespace tessera::frontend
