#include "frontend/einsum/equation/body.h"

#include <algorithm>
#include <cctype>

#include <fmt/ranges.h>

#include "base/suggest.h"
#include "expr/function_ids.h"
#include "frontend/einsum/expression/builder.h"
#include "frontend/einsum/program/expression_text.h"

namespace tessera::frontend {

namespace {

using expr::ScalarBuilder;

/// Returns one finding that covers the whole text of an option.
Diagnostics finding(const char* source_name, const std::string& text, std::string message,
                    std::string help) {
  Diagnostics findings(SourceText{source_name, text});
  findings.add({ErrorKind::user,
                {0, static_cast<int64_t>(text.size())},
                std::move(message),
                std::move(help),
                {}});
  return findings;
}

DType common_dtype(const std::vector<ArrayType>& types) {
  DType dtype = types.front().dtype;
  for (const ArrayType& type : types) {
    dtype = promote(dtype, type.dtype);
  }
  return dtype;
}

/// Adds a call whose arguments are cast to the dtype that the function computes in.
int32_t call(ScalarBuilder& builder, const expr::Function& function,
             std::vector<int32_t> arguments) {
  std::vector<DType> given;
  for (const int32_t argument : arguments) {
    given.push_back(builder.dtype_of(argument));
  }
  const expr::FunctionTypes types = function.bind(given);
  for (size_t position = 0; position < arguments.size(); ++position) {
    arguments[position] = builder.cast(arguments[position], types.arguments[position]);
  }
  return builder.call(function.name, std::move(arguments), types.result);
}

/// Adds f(x1, ..., xn), or x1 f x2 f ... f xn for an associative function of two arguments.
int32_t apply(ScalarBuilder& builder, const expr::Function& function,
              const std::vector<int32_t>& factors) {
  if (function.arity == static_cast<int>(factors.size())) {
    return call(builder, function, factors);
  }
  int32_t folded = factors.front();
  for (size_t factor = 1; factor < factors.size(); ++factor) {
    folded = call(builder, function, {folded, factors[factor]});
  }
  return folded;
}

/// Says why a function cannot be ⊗ of that many operands; empty if it can.
std::string unfit(const expr::Function& function, size_t num_operands) {
  if (function.arity == static_cast<int>(num_operands) ||
      (function.arity == 2 && function.associative)) {
    return "";
  }
  const std::string why = function.arity == 2 && num_operands > 2
                              ? " and is not associative: the result would depend on the grouping"
                              : "";
  return fmt::format("{} takes {} argument{}{}, but the equation has {} operand{}", function.name,
                     function.arity, function.arity == 1 ? "" : "s", why, num_operands,
                     num_operands == 1 ? "" : "s");
}

/// Returns the identifiers of a text, in order.
std::vector<std::string> identifiers_of(const std::string& text) {
  std::vector<std::string> identifiers;
  bool inside = false;
  for (const char byte : text) {
    const bool letter = std::isalpha(static_cast<unsigned char>(byte)) != 0 || byte == '_';
    const bool digit = std::isdigit(static_cast<unsigned char>(byte)) != 0;
    if (letter && !inside) {
      identifiers.emplace_back();
    }
    inside = letter || (inside && digit);
    if (inside) {
      identifiers.back() += byte;
    }
  }
  return identifiers;
}

bool is_variable(const std::string& name) {
  return name == "x" || name == "y" ||
         (name.size() > 1 && name[0] == 'x' &&
          name.find_first_not_of("0123456789", 1) == std::string::npos);
}

bool is_function_name(const std::string& join) {
  const std::vector<std::string> identifiers = identifiers_of(join);
  return identifiers.size() == 1 && identifiers.front() == join && !is_variable(join);
}

bool uses_short_names(const std::string& text) {
  const std::vector<std::string> used = identifiers_of(text);
  return std::any_of(used.begin(), used.end(),
                     [](const std::string& name) { return name == "x" || name == "y"; });
}

/// Returns x and y if an expression for one or two operands uses them, else x1...xn.
std::vector<std::string> join_variables(const std::string& text, size_t num_operands) {
  if (uses_short_names(text) && num_operands <= 2) {
    return num_operands == 1 ? std::vector<std::string>{"x"} : std::vector<std::string>{"x", "y"};
  }
  std::vector<std::string> names;
  for (size_t operand = 0; operand < num_operands; ++operand) {
    names.push_back(fmt::format("x{}", operand + 1));
  }
  return names;
}

bool has_parameter(const expr::Scalar& scalar, int32_t position) {
  return std::any_of(scalar.nodes.begin(), scalar.nodes.end(), [&](const expr::Node& node) {
    const auto* parameter = std::get_if<expr::Parameter>(&node.op);
    return parameter != nullptr && parameter->position == position;
  });
}

/// Adds the accesses of all operands, cast to their common dtype.
std::vector<int32_t> factors_of(ScalarBuilder& builder, const EquationLabels& labels,
                                const EquationOperands& operands) {
  const DType dtype = common_dtype(operands.types);
  std::vector<int32_t> factors;
  for (size_t operand = 0; operand < operands.types.size(); ++operand) {
    const int32_t access = builder.access({static_cast<int32_t>(operand), labels.indices[operand]},
                                          operands.types[operand].dtype);
    factors.push_back(builder.cast(access, dtype));
  }
  return factors;
}

/// Merges the operands by a function of that name.
Result<expr::Scalar> join_by_function(ScalarBuilder builder, const std::vector<int32_t>& factors,
                                      const std::string& name, const Vocabulary& vocabulary) {
  const expr::Function* function = vocabulary.functions.find_scalar(name);
  if (function == nullptr) {
    return finding("<join>", name, fmt::format("there is no function {}", name),
                   did_you_mean(name, vocabulary.functions.names()));
  }
  if (const std::string why = unfit(*function, factors.size()); !why.empty()) {
    return finding(
        "<join>", name, why,
        "name an associative function of two arguments, such as multiply, add or maximum");
  }
  try {
    return builder.finish(apply(builder, *function, factors));
  } catch (const Error& error) {
    return finding("<join>", name, error.message(), "cast the operands, or name another function");
  }
}

/// Merges the operands by an expression over x and y, or over x1...xn. It must name all of them: if
/// an expression in two were applied to three operands, the result would depend on the grouping.
Result<expr::Scalar> join_by_expression(ScalarBuilder builder, const std::vector<int32_t>& factors,
                                        const std::string& text, const Vocabulary& vocabulary) {
  if (factors.size() > 2 && uses_short_names(text)) {
    return finding(
        "<join>", text,
        fmt::format("an expression over x and y joins two operands, but the equation has {}",
                    factors.size()),
        "name every operand: x1, x2, x3, ...");
  }
  const std::vector<std::string> names = join_variables(text, factors.size());
  const std::vector<DType> dtypes(factors.size(), builder.dtype_of(factors.front()));
  Result<expr::Scalar> join =
      bind_expression(SourceText{"<join>", text}, names, dtypes, vocabulary);
  if (!join.ok()) {
    return join;
  }
  const expr::Scalar& body = join.value();
  for (size_t operand = 0; operand < names.size(); ++operand) {
    if (!has_parameter(body, static_cast<int32_t>(operand))) {
      return finding("<join>", text,
                     fmt::format("operand {} does not appear: the expression has no {}",
                                 operand + 1, names[operand]),
                     fmt::format("name every operand: {}", fmt::join(names, ", ")));
    }
  }
  return builder.finish(builder.inline_scalar(body, factors));
}

Result<expr::Scalar> bind_join(const EquationLabels& labels, const EquationOperands& operands,
                               const std::optional<std::string>& join,
                               const Vocabulary& vocabulary) {
  ScalarBuilder builder;
  const std::vector<int32_t> factors = factors_of(builder, labels, operands);
  if (join && !is_function_name(*join)) {
    return join_by_expression(std::move(builder), factors, *join, vocabulary);
  }
  return join_by_function(std::move(builder), factors, join.value_or(expr::id::kMultiply),
                          vocabulary);
}

/// Returns the body after lift and finalise of an aggregate over its one element.
expr::Scalar aggregate_of_one(const expr::Scalar& body, const expr::BoundAggregate& aggregate) {
  ScalarBuilder builder;
  const int32_t element = builder.inline_scalar(body, {});
  const int32_t position = builder.constant(int64_t{0}, DType::i64);
  std::vector<int32_t> state;
  for (const expr::Scalar& lift : aggregate.lift) {
    state.push_back(builder.inline_scalar(lift, {element, position}));
  }
  return builder.finish(builder.inline_scalar(aggregate.finalise, state));
}

bool reduces_nothing_of(const EquationLabels& labels) {
  return std::any_of(labels.over.begin(), labels.over.end(), [&](expr::LabelNumber label) {
    return labels.labels[static_cast<size_t>(label)].extent == 0;
  });
}

Result<EquationBody> bind_aggregate(expr::Scalar body, const EquationLabels& labels,
                                    const std::optional<std::string>& wanted,
                                    const Vocabulary& vocabulary) {
  if (labels.over.empty() && !wanted) {
    return EquationBody{std::move(body), "", std::nullopt};
  }
  const std::string name = wanted.value_or(expr::id::kSum);
  const expr::Aggregate* aggregate = vocabulary.aggregates.find(name);
  if (aggregate == nullptr) {
    const std::vector<std::string> known = vocabulary.aggregates.names();
    const std::string suggestion = did_you_mean(name, known);
    return finding(
        "<aggregate>", name, fmt::format("there is no aggregate {}", name),
        suggestion.empty() ? fmt::format("there are {}", fmt::join(known, ", ")) : suggestion);
  }
  expr::BoundAggregate reduction;
  try {
    reduction = aggregate->bind(body.dtype());
  } catch (const Error& error) {
    return finding("<aggregate>", name, error.message(),
                   "cast the operands, or name another aggregate");
  }
  if (labels.over.empty()) {
    return EquationBody{aggregate_of_one(body, reduction), "", std::nullopt};
  }
  if (!reduction.defined_on_empty && reduces_nothing_of(labels)) {
    return finding(
        "<aggregate>", name,
        fmt::format("zero-size array to reduction operation {} which has no identity", name),
        "every reduced label needs an extent of at least 1");
  }
  body = rounded_for(reduction.monoid, body);
  return EquationBody{std::move(body), name, std::move(reduction)};
}

}  // namespace

Result<EquationBody> bind_equation_body(const EquationLabels& labels,
                                        const EquationOperands& operands,
                                        const EquationOptions& options,
                                        const Vocabulary& vocabulary) {
  Result<expr::Scalar> body = bind_join(labels, operands, options.join, vocabulary);
  if (!body.ok()) {
    return body.diagnostics();
  }
  return bind_aggregate(std::move(body).value(), labels, options.aggregate, vocabulary);
}

}  // namespace tessera::frontend
