#include <fmt/format.h>

#include "base/error.h"
#include "sql/draws.h"

namespace tessera::sql::tensor_function_random {

namespace {

/// What is drawn for an element, of its labels and the texts of the parameters there.
using DrawText =
    std::function<std::string(const Draws& draws, const Labels& labels, const Labels& parameters)>;

/// The shape of the draws: that of the parameters, element by element.
Term drawn(TensorCall& call, DType dtype, const DrawText& text) {
  Term shaped = call.arguments[0];
  for (size_t number = 1; number < call.arguments.size(); ++number) {
    shaped = elementwise("add", {shaped, call.arguments[number]}, call.functions, call.name);
  }
  const Draws draws(call);
  const std::vector<Term> arguments = call.arguments;
  return plain_term({dtype, shaped.type.shape}, [=](const Labels& labels) {
    Labels parameters;
    for (const Term& argument : arguments) {
      parameters.push_back(text_at_last(argument, labels));
    }
    return text(draws, labels, parameters);
  });
}

Term uniform(TensorCall& call) {
  return drawn(call, DType::f64,
               [](const Draws& draws, const Labels& labels, const Labels& parameters) {
                 return fmt::format("({0} + ({1} - {0}) * {2})", parameters[0], parameters[1],
                                    draws.unit_at(labels));
               });
}

/// By Box and Muller, of two uniform numbers, the first of which is not 0.
Term normal(TensorCall& call) {
  return drawn(call, DType::f64,
               [](const Draws& draws, const Labels& labels, const Labels& parameters) {
                 return fmt::format("({} + {} * sqrt(-2 * log(1 - {})) * cos({} * {}))",
                                    parameters[0], parameters[1], draws.unit_at(labels, 0, 2),
                                    6.283185307179586, draws.unit_at(labels, 1, 2));
               });
}

Term exponential(TensorCall& call) {
  return drawn(call, DType::f64,
               [](const Draws& draws, const Labels& labels, const Labels& parameters) {
                 return fmt::format("(-{} * log(1 - {}))", parameters[0], draws.unit_at(labels));
               });
}

/// A shape, and a scale that it is multiplied by: 1 where none is said.
Term gamma(TensorCall& call) {
  TESSERA_USER_CHECK(call.arguments.size() == 1 || call.arguments.size() == 2,
                     "{}(shape, scale) takes 1 or 2 arguments, not {}", call.name,
                     call.arguments.size());
  return drawn(call, DType::f64,
               [](const Draws& draws, const Labels& labels, const Labels& parameters) {
                 const std::string scale = parameters.size() == 1 ? "1" : parameters[1];
                 return fmt::format("({} * random_gamma({}, f64({})))", scale,
                                    draws.bits_at(labels), parameters[0]);
               });
}

Term beta(TensorCall& call) {
  return drawn(call, DType::f64,
               [](const Draws& draws, const Labels& labels, const Labels& parameters) {
                 return fmt::format("random_beta({}, f64({}), f64({}))", draws.bits_at(labels),
                                    parameters[0], parameters[1]);
               });
}

Term poisson(TensorCall& call) {
  return drawn(call, DType::i64,
               [](const Draws& draws, const Labels& labels, const Labels& parameters) {
                 return fmt::format("i64(random_poisson({}, f64({})))", draws.bits_at(labels),
                                    parameters[0]);
               });
}

Term binomial(TensorCall& call) {
  return drawn(call, DType::i64,
               [](const Draws& draws, const Labels& labels, const Labels& parameters) {
                 return fmt::format("i64(random_binomial({}, f64({}), f64({})))",
                                    draws.bits_at(labels), parameters[0], parameters[1]);
               });
}

Term bernoulli(TensorCall& call) {
  return drawn(call, DType::b1,
               [](const Draws& draws, const Labels& labels, const Labels& parameters) {
                 return fmt::format("(random_binomial({}, 1, f64({})) == 1)", draws.bits_at(labels),
                                    parameters[0]);
               });
}

}  // namespace

void register_tensor_function(TensorFunctionRegistry& registry) {
  registry.add({"uniform", "low, high", "random numbers between two others, of the shape of these",
                2, uniform, true});
  registry.add({"normal", "mean, deviation",
                "normally distributed random numbers, of the shape of the arguments", 2, normal,
                true});
  registry.add({"exponential", "mean", "exponentially distributed random numbers of these means", 1,
                exponential, true});
  registry.add({"gamma", "shape, scale",
                "gamma distributed random numbers; the scale is 1 by default",
                TensorFunction::kAnyNumber, gamma, true});
  registry.add({"beta", "a, b", "beta distributed random numbers of these shapes", 2, beta, true});
  registry.add({"poisson", "mean",
                "whole random numbers of the Poisson distributions of these means", 1, poisson,
                true});
  registry.add(
      {"binomial", "n, p", "successes among n trials, each of probability p", 2, binomial, true});
  registry.add({"bernoulli", "p", "truth values, true with probability p", 1, bernoulli, true});
}

}  // namespace tessera::sql::tensor_function_random
