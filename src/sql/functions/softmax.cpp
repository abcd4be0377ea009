#include <cctype>
#include <string>

#include <fmt/format.h>

#include "base/error.h"
#include "sql/tensor_function.h"

namespace tessera::sql::tensor_function_softmax {

namespace {

/// A number that may be the same at all positions of a label, as an expression that mentions the
/// label, because softmax of it has a value at each of them.
program::Expression with_label(const program::Expression& value, const Label& label) {
  return mentions(value, label)
             ? value
             : program::call("where",
                             {program::call("greater_equal", {label, program::number(int64_t{0})}),
                              value, value});
}

/// Over the last mode: of a matrix every row is a distribution.
Term apply(TensorCall& call) {
  const Term tensor = in_floats(call.arguments[0]);
  TESSERA_USER_CHECK(!tensor.type.shape.empty(), "{} takes a vector or a matrix, not a scalar",
                     call.name);
  const Label spare = call.labels.of(tensor.type.shape.back());
  return plain_term(tensor.type, [=](const Expressions& indices) {
    return at_distinct(indices, {indices.size() - 1}, {spare}, [&](const Labels& own) {
      return program::apply("softmax", {own.back()}, {with_label(tensor.at(own), own.back())});
    });
  });
}

}  // namespace

void register_tensor_function(TensorFunctionRegistry& registry) {
  registry.add({"softmax", "x", "exp(x) over its sum along the last mode", 1, apply});
}

}  // namespace tessera::sql::tensor_function_softmax
