#include "program/growing/term.h"

#include <memory>
#include <utility>
#include <variant>

namespace tessera::program {

Expression value_of(const Product& product) {
  Expression value = product.factors.front();
  for (size_t factor = 1; factor < product.factors.size(); ++factor) {
    value = value * product.factors[factor];
  }
  return product.bound.empty() ? value : apply("sum", product.bound, {value});
}

Term plain_term(ArrayType type, std::function<Expression(const Expressions& indices)> says) {
  // Shared, because terms are copied into all that they are part of.
  auto shared =
      std::make_shared<const std::function<Expression(const Expressions&)>>(std::move(says));
  return {std::move(type), false,
          [shared = std::move(shared)](const Expressions& indices) -> Product {
            return {{}, {(*shared)(indices)}};
          }};
}

Term number_term(Literal value) {
  const bool is_integer =
      std::holds_alternative<int64_t>(value) || std::holds_alternative<uint64_t>(value);
  Term term = plain_term({is_integer ? DType::i64 : DType::f64, {}},
                         [value](const Expressions&) { return number(value); });
  term.is_weak = true;
  term.literal = value;
  return term;
}

}  // namespace tessera::program
