#include "base/error.h"
#include "sql/tensor_function.h"

namespace tessera::sql {

namespace {

/// The position of an element among all of its statement: of its row, then within its tensor.
std::string position_of(const Labels& row_labels, const Labels& labels) {
  std::string text = "0";
  for (const Labels* part : {&row_labels, &labels}) {
    for (const std::string& label : *part) {
      text = fmt::format("({} * {} + index({}))", text, extent_of_label(label), label);
    }
  }
  return text;
}

/// A number in [0, 1) with 53 random bits, of the n-th of `count` draws for each element.
std::string unit_text(int64_t key, const std::string& position, int64_t draw, int64_t count) {
  return fmt::format("(f64(bitwise_and(philox({}, {} * {} + {}), 9007199254740991)) * {})", key,
                     position, count, draw, 0x1p-53);
}

/// The shape of the draws: that of the arguments, element by element.
Term drawn(TensorCall& call,
           const std::function<std::string(const std::string& one, const std::string& other,
                                           const std::string& position, int64_t key)>& text) {
  const Term sum = elementwise("add", call.arguments, call.functions, call.name);
  TESSERA_CHECK(call.draws != nullptr, "{} of no statement", call.name);
  const int64_t key = call.draws->new_key();
  const DrawSource* const draws = call.draws;
  const std::vector<Term> arguments = call.arguments;
  return plain_term({DType::f64, sum.type.shape}, [=](const Labels& labels) {
    std::vector<std::string> texts;
    for (const Term& argument : arguments) {
      const auto count = static_cast<std::ptrdiff_t>(argument.type.shape.size());
      texts.push_back(text_of(argument, Labels(labels.end() - count, labels.end())));
    }
    return text(texts[0], texts[1], position_of(draws->row_labels(), labels), key);
  });
}

Term uniform(TensorCall& call) {
  return drawn(call, [](const std::string& low, const std::string& high,
                        const std::string& position, int64_t key) {
    return fmt::format("({0} + ({1} - {0}) * {2})", low, high, unit_text(key, position, 0, 1));
  });
}

/// By Box and Muller, of two uniform numbers, the first of which is not 0.
Term normal(TensorCall& call) {
  return drawn(call, [](const std::string& mean, const std::string& deviation,
                        const std::string& position, int64_t key) {
    return fmt::format("({} + {} * sqrt(-2 * log(1 - {})) * cos({} * {}))", mean, deviation,
                       unit_text(key, position, 0, 2), 6.283185307179586,
                       unit_text(key, position, 1, 2));
  });
}

}  // namespace

void register_tensor_function_random(TensorFunctionRegistry& registry) {
  registry.add({"uniform", "low, high", "random numbers between two others, of the shape of these",
                2, uniform, true});
  registry.add({"normal", "mean, deviation",
                "normally distributed random numbers, of the shape of the arguments", 2, normal,
                true});
}

}  // namespace tessera::sql
