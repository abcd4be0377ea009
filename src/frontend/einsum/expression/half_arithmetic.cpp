#include "frontend/einsum/expression/half_arithmetic.h"

#include <algorithm>
#include <array>

#include "expr/function_ids.h"
#include "types/half_rounding.h"

namespace tessera::frontend {

bool is_half(DType dtype) {
  return dtype == DType::f16 || dtype == DType::bf16;
}

bool is_exact_in_halves(std::string_view function) {
  constexpr std::array<std::string_view, 16> kExact = {expr::id::kWhere,
                                                       expr::id::kOnly,
                                                       expr::id::kMinimum,
                                                       expr::id::kMaximum,
                                                       expr::id::kNegative,
                                                       "abs",
                                                       "relu",
                                                       "clip",
                                                       "sign",
                                                       "floor",
                                                       "ceil",
                                                       "trunc",
                                                       "round",
                                                       "real",
                                                       "conj",
                                                       "heaviside"};
  return std::find(kExact.begin(), kExact.end(), function) != kExact.end();
}

bool is_term(std::string_view function) {
  constexpr std::array<std::string_view, 5> kTerms = {expr::id::kAdd, expr::id::kSubtract,
                                                      expr::id::kMultiply, expr::id::kDivide,
                                                      expr::id::kNegative};
  return std::find(kTerms.begin(), kTerms.end(), function) != kTerms.end();
}

Literal rounded_literal(const Literal& number, DType dtype) {
  const auto value = literal_as<double>(number);
  const float nearest = odd_float_from(value);
  const double rounded = dtype == DType::bf16 ? static_cast<float>(BFloat16(nearest))
                                              : static_cast<float>(Float16(nearest));
  return rounded == value ? number : Literal(rounded);
}

}  // namespace tessera::frontend
