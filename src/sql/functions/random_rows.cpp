#include <fmt/format.h>

#include "base/error.h"
#include "sql/draws.h"

/// Draws of distributions over the last mode: a row of weights each.
namespace tessera::sql::tensor_function_random_rows {

namespace {

/// The modes before the last, of an argument that has one.
Shape without_last(const TensorCall& call, size_t argument) {
  Shape shape = call.arguments[argument].type.shape;
  TESSERA_USER_CHECK(!shape.empty(), "{} takes a vector or a matrix there, not a scalar",
                     call.name);
  shape.pop_back();
  return shape;
}

Expressions without_last(const Labels& labels) {
  return indices_of(Labels(labels.begin(), labels.end() - 1));
}

/// Counted from 1, as subscripts are.
Term categorical(TensorCall& call) {
  const Term weights = call.arguments[0];
  const Draws draws(call);
  const Shape shape = without_last(call, 0);
  const Label label = call.labels.of(weights.type.shape.back());
  return plain_term({DType::i64, shape}, [=](const Expressions& indices) {
    const program::Expression place =
        program::apply("random_categorical", {label},
                       {draws.bits_at(indices), weights.at(joined(indices, {label}))});
    return program::number(int64_t{1}) + place;
  });
}

DType dtype_of_shares(const TensorCall& call) {
  return call.functions.find("random_dirichlet")
      ->bind({DType::i64, call.arguments[0].type.dtype})
      .result;
}

Term dirichlet(TensorCall& call) {
  const Term weights = call.arguments[0];
  const Draws draws(call);
  without_last(call, 0);
  const Label spare = call.labels.of(weights.type.shape.back());
  return plain_term({dtype_of_shares(call), weights.type.shape}, [=](const Expressions& indices) {
    return at_distinct(indices, {indices.size() - 1}, {spare}, [&](const Labels& own) {
      return program::apply("random_dirichlet", {own.back()},
                            {draws.bits_at(without_last(own)), weights.at(own)});
    });
  });
}

Term multinomial(TensorCall& call) {
  const Term number = call.arguments[0];
  const Term weights = call.arguments[1];
  const Draws draws(call);
  const Shape rows = without_last(call, 1);
  TESSERA_USER_CHECK(number.type.shape.empty() || number.type.shape == rows,
                     "{} takes a number of draws, or one for each row of weights, not {} for {}",
                     call.name, shape_text(number.type.shape), shape_text(weights.type.shape));
  const Label spare = call.labels.of(weights.type.shape.back());
  return plain_term({DType::i64, weights.type.shape}, [=](const Expressions& indices) {
    return at_distinct(indices, {indices.size() - 1}, {spare}, [&](const Labels& own) {
      const Expressions of_row = without_last(own);
      return program::apply(
          "random_multinomial", {own.back()},
          {draws.bits_at(of_row), program::converted(DType::i64, at_last(number, of_row)),
           weights.at(own)});
    });
  });
}

}  // namespace

void register_tensor_function(TensorFunctionRegistry& registry) {
  registry.add({"categorical", "p",
                "a random position along the last mode, from 1, drawn with weights as p", 1,
                categorical});
  registry.add({"dirichlet", "a",
                "random numbers whose sum along the last mode is 1, drawn by concentrations a", 1,
                dirichlet});
  registry.add({"multinomial", "n, p",
                "how often each position along the last mode is drawn in n draws with weights as p",
                2, multinomial});
}

}  // namespace tessera::sql::tensor_function_random_rows
