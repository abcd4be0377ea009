#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "frontend/sql/rewrite.h"
#include "sql/level.h"
#include "sql/statement_error.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

ExpressionPtr test_of(Test::Kind kind, bool is_negated, const ExpressionPtr& operand) {
  return make_expression(Test{kind, is_negated, operand, nullptr});
}

ExpressionPtr negated(bool is_negated, const ExpressionPtr& expression) {
  return is_negated ? make_expression(Logical{Logical::Kind::negation, {expression}}) : expression;
}

}  // namespace

/// Element by element, NaN equal to NaN.
Term Level::equal_elements(const Term& one, const Term& other, const std::string& shown) const {
  const auto call = [&](const std::string& name, const std::vector<Term>& arguments) {
    return elementwise(name, arguments, vocabulary_.functions, shown);
  };
  Term equal = call("equal", {one, other});
  if (!is_float(one.type.dtype) || !is_float(other.type.dtype)) {
    return equal;
  }
  return call("logical_or",
              {equal, call("logical_and", {call("isnan", {one}), call("isnan", {other})})});
}

/// A column that says whether all elements are equal; NULL where a tensor is.
ExpressionPtr Level::equality(const ExpressionPtr& whole, const ExpressionPtr& one,
                              const ExpressionPtr& other) {
  Reading reading;
  const Term left = term_of(one, reading);
  const Term right = term_of(other, reading);
  TESSERA_USER_CHECK(left.type.shape == right.type.shape && !left.type.shape.empty(),
                     "{} and {} are compared as a whole here, where a truth value is wanted",
                     shape_text(left.type.shape), shape_text(right.type.shape));
  const Term equal = equal_elements(left, right, "=");
  const Labels modes = reading.labels->of(equal.type.shape);
  Term all = plain_term({DType::b1, {}}, [equal, modes](const Expressions&) {
    return program::apply("all", modes, {equal.at(modes)});
  });
  const std::string column =
      computed_column(whole, {std::move(all), nullptr, std::move(reading.reads), reading.labels});
  return make_expression(ColumnReference{std::nullopt, Name{column, {}}}, whole->span);
}

/// Whether a tensor is one of those that a query gave, by their row numbers.
ExpressionPtr Level::membership(const ExpressionPtr& whole, const In& node) {
  const Scope::TensorSet& set = scope_->sets().at(node.query);
  TensorValue value = *tensor_of(node.operand);
  In found{false, make_expression(NumberLiteral{"-1", true}), {}, node.query};
  if (set.has_members) {
    const Shape& shape = set.relation->columns.front().tensor->element.shape;
    TESSERA_USER_CHECK(value.term.type.shape == shape,
                       "a {} is looked for among tensors of another shape, {}",
                       shape_text(value.term.type.shape), shape_text(shape));
    found.operand = make_expression(ColumnReference{
        std::nullopt, Name{computed_column(whole, std::move(value), set.relation), {}}});
  }
  if (node.query->where) {  // it asks with what the rows say
    Select asking = *node.query;
    Logical conditions = std::get<Logical>(asking.where->of);
    for (ExpressionPtr& condition : conditions.operands) {
      Test equal = std::get<Test>(condition->of);
      equal.other =
          is_tensor_column(equal.other)
              ? make_expression(ColumnReference{std::nullopt, Name{row_number(equal.other), {}}})
              : over_table(equal.other);
      condition = make_expression(std::move(equal));
    }
    asking.where = make_expression(std::move(conditions));
    found.query = std::make_shared<const Select>(std::move(asking));
  }
  return make_expression(std::move(found), whole->span);
}

bool Level::is_tensor(const ExpressionPtr& expression) {
  const std::optional<TensorValue> value = tensor_of(expression);
  return value && !value->is_number();
}

ExpressionPtr Level::truth_of(const ExpressionPtr& expression) {
  if (const auto* const logical = std::get_if<Logical>(&expression->of)) {
    Logical other = *logical;
    other.operands = guarded_operands(*logical);
    return make_expression(std::move(other), expression->span);
  }
  if (const auto* const operation = std::get_if<Operation>(&expression->of)) {
    const bool is_equality = operation->symbol == "=" || operation->symbol == "<>";
    return is_equality && is_tensor(expression)
               ? negated(operation->symbol == "<>",
                         equality(expression, operation->operands[0], operation->operands[1]))
               : nullptr;
  }
  if (const auto* const test = std::get_if<Test>(&expression->of)) {
    return is_tensor(test->operand) ? truth_of_test(expression, *test) : nullptr;
  }
  const auto* const in = std::get_if<In>(&expression->of);
  if (in == nullptr) {
    return nullptr;
  }
  if (in->query) {
    const bool is_known = scope_->sets().count(in->query) != 0;
    return is_known || is_tensor(in->operand)
               ? at(in->operand->span,
                    [&] {
                      TESSERA_USER_CHECK(is_known && is_tensor(in->operand),
                                         "tensors are looked for among tensors, numbers among "
                                         "numbers");
                      return negated(in->is_negated, membership(expression, *in));
                    })
               : nullptr;
  }
  if (!is_tensor(in->operand)) {
    return nullptr;
  }
  std::vector<ExpressionPtr> equal;
  for (const ExpressionPtr& element : in->elements) {
    equal.push_back(at(element->span, [&] { return equality(element, in->operand, element); }));
  }
  return negated(in->is_negated, make_expression(Logical{Logical::Kind::any, std::move(equal)}));
}

/// A computed tensor is NULL where one that it reads is.
ExpressionPtr Level::null_test(const Test& test, const TensorValue& value) {
  std::vector<ExpressionPtr> tests{make_expression(BooleanLiteral{test.is_negated})};
  for (const std::string& column : value.reads) {
    tests.push_back(make_expression(
        Test{Test::Kind::null, test.is_negated,
             make_expression(ColumnReference{std::nullopt, Name{column, {}}}), nullptr}));
  }
  return make_expression(
      Logical{test.is_negated ? Logical::Kind::all : Logical::Kind::any, std::move(tests)});
}

ExpressionPtr Level::truth_of_test(const ExpressionPtr& whole, const Test& test) {
  const auto null_of = [&](const ExpressionPtr& operand) {
    return null_test({Test::Kind::null, false, operand, nullptr}, *tensor_of(operand));
  };
  if (test.kind == Test::Kind::null) {
    return null_test(test, *tensor_of(test.operand));
  }
  if (test.kind != Test::Kind::distinct) {
    return nullptr;
  }
  if (std::holds_alternative<NullLiteral>(test.other->of)) {
    return null_test({Test::Kind::null, !test.is_negated, test.operand, nullptr},
                     *tensor_of(test.operand));
  }
  const ExpressionPtr same = make_expression(
      Logical{Logical::Kind::any,
              {test_of(Test::Kind::true_, false, equality(whole, test.operand, test.other)),
               make_expression(
                   Logical{Logical::Kind::all, {null_of(test.operand), null_of(test.other)}})}});
  return negated(!test.is_negated, same);
}

}  // namespace tessera::sql
