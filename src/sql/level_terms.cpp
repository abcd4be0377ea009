#include <algorithm>
#include <map>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/overload.h"
#include "database/sql_error.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/level.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

/// The function that an operator stands for; empty where tensors have none.
std::string function_of(const std::string& symbol, size_t num_operands) {
  static const std::map<std::string, std::string> binary{
      {"+", "add"},           {"-", "subtract"}, {"*", "multiply"},    {"/", "divide"},
      {"%", "remainder"},     {"^", "power"},    {"=", "equal"},       {"<>", "not_equal"},
      {"!=", "not_equal"},    {"<", "less"},     {"<=", "less_equal"}, {">", "greater"},
      {">=", "greater_equal"}};
  if (num_operands == 1) {
    return symbol == "-" ? "negative" : "";
  }
  const auto found = binary.find(symbol);
  return found == binary.end() ? "" : found->second;
}

}  // namespace

Term Level::operation_term(const Operation& node, Reading& reading) {
  const std::string function = function_of(node.symbol, node.operands.size());
  if (function.empty()) {
    throw_error(ErrorKind::unsupported, "the operator {} of tensors", node.symbol);
  }
  std::vector<Term> operands;
  for (const ExpressionPtr& operand : node.operands) {
    operands.push_back(term_of(operand, reading));
  }
  return elementwise(function, operands, vocabulary_.functions, node.symbol);
}

Term Level::logical_term(const Logical& node, Reading& reading) {
  const std::string function = node.kind == Logical::Kind::all   ? "logical_and"
                               : node.kind == Logical::Kind::any ? "logical_or"
                                                                 : "logical_not";
  Term term = term_of(node.operands[0], reading);
  if (node.kind == Logical::Kind::negation) {
    return elementwise(function, {term}, vocabulary_.functions, "NOT");
  }
  for (size_t number = 1; number < node.operands.size(); ++number) {
    term = elementwise(function, {term, term_of(node.operands[number], reading)},
                       vocabulary_.functions, function == "logical_and" ? "AND" : "OR");
  }
  return term;
}

Term Level::call_term(const Call& node, Reading& reading) {
  const std::string& name = node.function.text;
  if (name == "einsum") {
    return einsum_term(node, reading);
  }
  if (name == "coalesce") {
    return coalesce_term(node, reading);
  }
  if (name == "greatest" || name == "least") {
    return extreme_term(node, reading);
  }
  std::vector<Term> arguments;
  for (const ExpressionPtr& argument : node.arguments) {
    arguments.push_back(term_of(argument, reading));
  }
  if (const TensorFunction* const function = vocabulary_.tensor_functions.find(name)) {
    TESSERA_USER_CHECK(
        function->arity == TensorFunction::kAnyNumber || arguments.size() == function->arity,
        "{}({}) takes {} arguments, not {}", name, function->arguments, function->arity,
        arguments.size());
    TensorCall call{name, std::move(arguments), *reading.labels, vocabulary_.functions, this};
    return function->apply(call);
  }
  if (vocabulary_.functions.find_scalar(name) != nullptr) {
    return elementwise(name, arguments, vocabulary_.functions, name);
  }
  TESSERA_USER_CHECK(!is_aggregate(name, vocabulary_),
                     "{} is an aggregate, which may not stand here", name);
  TESSERA_USER_CHECK(name != "date_plus",
                     "a date may have a number of days added or taken away, and not a tensor");
  throw database::SqlError(
      database::SqlState::undefined_function,
      Error(ErrorKind::user, fmt::format("there is no function {} of tensors", name)),
      node.function.span);
}

Term Level::einsum_term(const Call& node, Reading& reading) {
  const auto* const equation =
      node.arguments.empty() ? nullptr : std::get_if<StringLiteral>(&node.arguments[0]->of);
  const size_t arrow = equation == nullptr ? std::string::npos : equation->text.find("->");
  TESSERA_USER_CHECK(arrow != std::string::npos,
                     "einsum takes an equation first: einsum('ij,jk->ik', a, b)");
  std::map<char, program::Expression> indices;
  std::map<char, int64_t> extents;
  std::vector<std::pair<Term, std::string>> operands;
  std::string letters = equation->text.substr(0, arrow) + ",";
  const std::string result = equation->text.substr(arrow + 2);
  const bool is_sum_or_product =
      node.arguments.size() > 2 || letters.find_first_not_of(result + ", ") != std::string::npos;
  size_t begin = 0;
  for (size_t number = 1; number < node.arguments.size(); ++number) {
    const size_t end = letters.find(',', begin);
    TESSERA_USER_CHECK(end != std::string::npos,
                       "einsum('{}') is given more operands than it names", equation->text);
    const Term operand = term_of(node.arguments[number], reading);
    operands.emplace_back(is_sum_or_product ? summable(operand) : operand,
                          letters.substr(begin, end - begin));
    begin = end + 1;
  }
  TESSERA_USER_CHECK(begin == letters.size() && !operands.empty(),
                     "einsum('{}') is given other operands than it names", equation->text);
  std::vector<DType> dtypes;
  for (const auto& [operand, modes] : operands) {
    const Shape& shape = operand.type.shape;
    TESSERA_USER_CHECK(modes.size() == shape.size(),
                       "einsum('{}'): '{}' does not name the modes of a {}", equation->text, modes,
                       shape_text(shape));
    dtypes.push_back(operand.type.dtype);
    for (size_t mode = 0; mode < modes.size(); ++mode) {
      const auto [place, is_new] = extents.emplace(modes[mode], shape[mode]);
      TESSERA_USER_CHECK(place->second == shape[mode], "einsum('{}'): {} is {} and {}",
                         equation->text, modes[mode], place->second, shape[mode]);
    }
  }
  ArrayType type{dtypes.front(), {}};
  for (const DType dtype : dtypes) {
    type.dtype = promote(type.dtype, dtype);
  }
  for (const char letter : result) {
    TESSERA_USER_CHECK(extents.count(letter) != 0, "einsum('{}'): no operand has {}",
                       equation->text, letter);
    type.shape.push_back(extents.at(letter));
  }
  Labels bound;
  for (const auto& [letter, extent] : extents) {
    const Label label = reading.labels->of(extent);
    indices.emplace(letter, label);
    if (result.find(letter) == std::string::npos) {
      bound.push_back(label);
    }
  }
  return {type, false, [=](const Expressions& given) -> Product {
            std::map<char, program::Expression> all = indices;
            for (size_t mode = 0; mode < given.size(); ++mode) {
              all.insert_or_assign(result[mode], given[mode]);
            }
            Product product{bound, {}};
            for (const auto& [operand, modes] : operands) {
              Expressions of_operand;
              for (const char letter : modes) {
                of_operand.push_back(all.at(letter));
              }
              product.factors.push_back(operand.at(of_operand));
            }
            return bound.empty() ? Product{{}, {value_of(product)}} : product;
          }};
}

}  // namespace tessera::sql
