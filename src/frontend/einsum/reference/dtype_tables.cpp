#include "frontend/einsum/reference/dtype_tables.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/error.h"
#include "base/overload.h"
#include "expr/function_value.h"

namespace tessera::frontend {

namespace {

/// Returns the result of finalise for a state of these numbers, computed in f64.
double finalised(const expr::BoundAggregate& bound) {
  std::vector<double> values;
  for (const expr::Node& node : bound.finalise.nodes) {
    const auto value_of = [&](int32_t at) { return values[static_cast<size_t>(at)]; };
    values.push_back(std::visit(
        Overload{[](const expr::Constant& constant) { return literal_as<double>(constant.value); },
                 [&](const expr::Parameter& parameter) {
                   const auto position = static_cast<size_t>(parameter.position);
                   return literal_as<double>(bound.monoid.identity[position]);
                 },
                 [&](const expr::Call& call) {
                   std::vector<double> arguments;
                   std::transform(call.arguments.begin(), call.arguments.end(),
                                  std::back_inserter(arguments), value_of);
                   return expr::value_of(call.function, arguments).value();
                 },
                 [&](const expr::Cast& cast) { return value_of(cast.argument); },
                 [](const Among<expr::Access, expr::IndexOf> auto&) -> double {
                   throw_error(ErrorKind::internal, "a state has no labels");
                 }},
        node.op));
  }
  return values.back();
}

}  // namespace

void add_results(Callable& callable, const std::function<DType(DType)>& result_of) {
  for (const DType dtype : all_dtypes()) {
    try {
      const DType result = result_of(dtype);
      auto known = std::find_if(callable.results.begin(), callable.results.end(),
                                [&](const ResultOf& other) { return other.result == result; });
      if (known == callable.results.end()) {
        known = callable.results.insert(known, ResultOf{{}, result});
      }
      known->arguments.push_back(dtype);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::internal) {
        throw;
      }
      callable.refused.push_back(dtype);
    }
  }
}

std::string value_of_nothing(const expr::Aggregate& aggregate) {
  const expr::BoundAggregate bound = aggregate.bind(DType::f64);
  if (!bound.defined_on_empty) {
    return "an error";
  }
  const double value = finalised(bound);
  if (is_bool(bound.result())) {
    return value != 0 ? "true" : "false";
  }
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

}  // namespace tessera::frontend
