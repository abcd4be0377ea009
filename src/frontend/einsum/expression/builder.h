#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "expr/monoid.h"
#include "frontend/einsum/einsum.h"
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

/// The dtype of a number beside values of dtype `other`, by numpy 2's rule: an integer stays in any
/// numeric dtype, a float beside integers is f64, a complex beside f32 is c64.
DType dtype_beside(const Literal& number, DType other);

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
  Value parameter(int32_t position, DType dtype) { return {nodes_.parameter(position, dtype)}; }

  /// A registered function of values; REQUIRES that it is registered.
  Value call(const std::string& function, const std::vector<Value>& arguments);

  /// The arguments of a function within an index. Integers of fewer than 64 bits that the function
  /// computes with are converted to i64, so that a position such as I[n] + 1 never wraps.
  std::vector<Value> position_arguments(const std::string& function, std::vector<Value> arguments);

  /// A node of that dtype; a number becomes a constant. Throws where an integer does not fit.
  Value cast(const Value& value, DType dtype);

  /// As cast, where the program names the dtype: a number is rounded to what f16 or bf16 hold.
  Value convert(const Value& value, DType dtype);

  /// A float or complex number: an integer or truth value as f64, what is floating as it is.
  Value floating(const Value& value);

  /// The value where the mask is true (an integer that is not 0), else -inf; a mask of floats is
  /// added, so that -inf leaves out too.
  Value masked(const Value& value, const Value& mask);

  /// The dtype that the value would have as a whole expression.
  DType dtype_of(const Value& value) const;

  /// The expression whose result is `root`.
  expr::Scalar finish(const Value& root);

 private:
  std::optional<Value> compare_mixed_signs(const std::string& function,
                                           const std::vector<Value>& arguments);
  std::vector<DType> argument_dtypes(const std::string& function,
                                     const std::vector<Value>& arguments) const;

  const Vocabulary& vocabulary_;
  expr::ScalarBuilder nodes_;
};

/// The element expression of an aggregate. Where an f16 or bf16 is computed and the aggregate's
/// state of several numbers holds it, it is rounded first, so that elements of one tile and states
/// of others compare as equals.
expr::Scalar rounded_for(const expr::Monoid& monoid, const expr::Scalar& element);

}  // namespace tessera::frontend
