#include <fmt/format.h>

#include "base/error.h"
#include "sql/draws.h"

namespace tessera::sql::tensor_function_random {

namespace {

/// The number drawn for an element, from its indices and the parameters there.
using Draw = std::function<program::Expression(const Draws& draws, const Expressions& indices,
                                               const Expressions& parameters)>;

using program::number;

constexpr double kFullTurn = 6.283185307179586;

/// A function of some expressions.
template <class... Arguments>
program::Expression call_of(const std::string& function, const Arguments&... arguments) {
  return program::call(function, {arguments...});
}

/// log(1 - x)
program::Expression log_of_rest(const program::Expression& x) {
  return call_of("log", number(int64_t{1}) - x);
}

/// A number that a function draws from random bits, with parameters in f64.
program::Expression sampled(const std::string& function, const program::Expression& bits,
                            const Expressions& parameters) {
  Expressions arguments{bits};
  for (const program::Expression& parameter : parameters) {
    arguments.push_back(program::converted(DType::f64, parameter));
  }
  return program::call(function, std::move(arguments));
}

/// The shape of the draws: that of the parameters, element by element.
Term drawn(TensorCall& call, DType dtype, const Draw& draw) {
  Term shaped = call.arguments[0];
  for (size_t number = 1; number < call.arguments.size(); ++number) {
    shaped = elementwise("add", {shaped, call.arguments[number]}, call.functions, call.name);
  }
  const Draws draws(call);
  const std::vector<Term> arguments = call.arguments;
  return plain_term({dtype, shaped.type.shape}, [=](const Expressions& indices) {
    Expressions parameters;
    for (const Term& argument : arguments) {
      parameters.push_back(at_last(argument, indices));
    }
    return draw(draws, indices, parameters);
  });
}

Term uniform(TensorCall& call) {
  return drawn(call, DType::f64,
               [](const Draws& draws, const Expressions& indices, const Expressions& parameters) {
                 const program::Expression& low = parameters[0];
                 return low + (parameters[1] - low) * draws.unit_at(indices);
               });
}

/// By Box and Muller, of two uniform numbers, the first of which is not 0.
Term normal(TensorCall& call) {
  return drawn(call, DType::f64,
               [](const Draws& draws, const Expressions& indices, const Expressions& parameters) {
                 const program::Expression length =
                     call_of("sqrt", negative(number(int64_t{2})) *
                                         log_of_rest(draws.unit_at(indices, 0, 2)));
                 const program::Expression direction =
                     call_of("cos", number(kFullTurn) * draws.unit_at(indices, 1, 2));
                 return parameters[0] + parameters[1] * length * direction;
               });
}

Term exponential(TensorCall& call) {
  return drawn(call, DType::f64,
               [](const Draws& draws, const Expressions& indices, const Expressions& parameters) {
                 return negative(parameters[0]) * log_of_rest(draws.unit_at(indices));
               });
}

/// A shape, and a scale that it is multiplied by: 1 where none is said.
Term gamma(TensorCall& call) {
  TESSERA_USER_CHECK(call.arguments.size() == 1 || call.arguments.size() == 2,
                     "{}(shape, scale) takes 1 or 2 arguments, not {}", call.name,
                     call.arguments.size());
  return drawn(call, DType::f64,
               [](const Draws& draws, const Expressions& indices, const Expressions& parameters) {
                 const program::Expression scale =
                     parameters.size() == 1 ? number(int64_t{1}) : parameters[1];
                 return scale * sampled("random_gamma", draws.bits_at(indices), {parameters[0]});
               });
}

Term beta(TensorCall& call) {
  return drawn(call, DType::f64,
               [](const Draws& draws, const Expressions& indices, const Expressions& parameters) {
                 return sampled("random_beta", draws.bits_at(indices), parameters);
               });
}

Term poisson(TensorCall& call) {
  return drawn(call, DType::i64,
               [](const Draws& draws, const Expressions& indices, const Expressions& parameters) {
                 return program::converted(
                     DType::i64, sampled("random_poisson", draws.bits_at(indices), parameters));
               });
}

Term binomial(TensorCall& call) {
  return drawn(call, DType::i64,
               [](const Draws& draws, const Expressions& indices, const Expressions& parameters) {
                 return program::converted(
                     DType::i64, sampled("random_binomial", draws.bits_at(indices), parameters));
               });
}

Term bernoulli(TensorCall& call) {
  return drawn(call, DType::b1,
               [](const Draws& draws, const Expressions& indices, const Expressions& parameters) {
                 const program::Expression one = number(int64_t{1});
                 const program::Expression probability =
                     program::converted(DType::f64, parameters[0]);
                 const program::Expression successes =
                     program::call("random_binomial", {draws.bits_at(indices), one, probability});
                 return call_of("equal", successes, one);
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
