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

/// A part of an expression: a node with a dtype, or a number that takes its dtype from what it
/// meets (numpy's weak scalars, NEP 50).
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

/// The dtype of a number beside values of dtype `other`, by numpy 2's rule: an integer stays in any
/// numeric dtype, a float beside integers is f64, a complex beside f32 is c64.
DType dtype_beside(const Literal& number, DType other);

/// True if the argument only chooses: numpy gives where(c, a, b) the type of a and b.
bool is_condition(const std::string& function, size_t position);

/// Builds a typed expression bottom-up: numbers are folded, every conversion becomes a Cast node.
///
/// Throws a user Error without a place where a function has no meaning for its arguments; the
/// caller knows the place.
class ExpressionBuilder {
 public:
  explicit ExpressionBuilder(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  Value number(Literal literal) const { return {literal}; }
  Value access(expr::Access access, DType dtype) {
    return {nodes_.access(std::move(access), dtype)};
  }
  Value index_of(expr::LabelNumber label) { return {nodes_.index_of(label)}; }
  /// The same of a label of this extent.
  Value index_of(expr::LabelNumber label, int64_t extent) {
    extents_[label] = extent;
    return index_of(label);
  }
  Value parameter(int32_t position, DType dtype) { return {nodes_.parameter(position, dtype)}; }

  /// A registered function of values; REQUIRES that it is registered.
  Value call(const std::string& function, const std::vector<Value>& arguments);

  /// The same where the value is used only if `guard()` is true, and must not fail elsewhere: an
  /// argument that may fail is a harmless one there. The guard is made only if it is needed.
  Value guarded_call(const std::string& function, std::vector<Value> arguments,
                     const std::function<Value()>& guard);

  /// An index into a mode of this extent that is used only if `guard()` is true: it is 0 elsewhere.
  Value guarded_index(const Value& index, int64_t extent, const std::function<Value()>& guard);

  /// A node of that dtype; a number becomes a constant. Throws where an integer does not fit.
  Value cast(const Value& value, DType dtype);

  /// Returns the numbers that cast() has lost since the last call.
  std::vector<LostNumber> take_lost_numbers() { return std::exchange(lost_numbers_, {}); }

  /// Converts a value where the program says so. Unlike cast, it also rounds a computed f16 or bf16
  /// to its own dtype.
  Value convert(const Value& value, DType dtype);

  /// The result of a call before it is rounded to f16 or bf16, for whoever rounds it when it is
  /// stored.
  Value unrounded(const Value& value) const;

  /// The same of the sums, differences, products and quotients that a value is made of: a sum of
  /// products carries f32, as a contraction does.
  Value unrounded_terms(const Value& value);

  /// A float or complex number: an integer or truth value as f64, what is floating as it is.
  Value floating(const Value& value);

  /// floating(value), f16 and bf16 as f32: macros compute in it what would overflow these.
  Value widened(const Value& value);

  /// The value in the dtype of `other` if that is f16 or bf16, else the value.
  Value narrowed(const Value& value, const Value& other);

  /// The value where the mask is true (an integer that is not 0), else -inf; a mask of floats is
  /// added, so that -inf leaves out too.
  Value masked(const Value& value, const Value& mask);

  /// True where a mask leaves a value in.
  Value is_unmasked(const Value& mask);

  /// The dtype that the value would have as a whole expression.
  DType dtype_of(const Value& value) const;

  /// The expression whose result is `root`.
  expr::Scalar finish(const Value& root);

 private:
  Value rounded(const std::string& function, const Value& called);
  std::optional<Value> compare_mixed_signs(const std::string& function,
                                           const std::vector<Value>& arguments);
  std::vector<DType> argument_dtypes(const std::string& function,
                                     const std::vector<Value>& arguments) const;
  /// Between what a value surely lies, whatever the data are.
  ValueRange range_of(const Value& value) const;
  /// The value where the guard is true, elsewhere the number, in one dtype.
  Value chosen(const Value& guard, const Value& value, int64_t otherwise, DType dtype);

  const Vocabulary& vocabulary_;
  expr::ScalarBuilder nodes_;
  std::map<expr::LabelNumber, int64_t> extents_;  // of labels whose positions are values
  std::vector<LostNumber> lost_numbers_;
};

/// The element expression of an aggregate. Where an f16 or bf16 is computed and the aggregate's
/// state of several numbers holds it, it is rounded first, so that elements of one tile and states
/// of others compare as equals.
expr::Scalar rounded_for(const expr::Monoid& monoid, const expr::Scalar& element);

}  // namespace tessera::frontend
