#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "frontend/sql/rewrite.h"
#include "sql/level.h"
#include "sql/partial_functions.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

ExpressionPtr number(size_t value) {
  return make_expression(NumberLiteral{std::to_string(value), true});
}

bool is_null_literal(const ExpressionPtr& expression) {
  return std::holds_alternative<NullLiteral>(expression->of);
}

/// A column that is NULL in the rows that do not take one of several values.
ExpressionPtr is_taken(const std::vector<ExpressionPtr>& conditions, size_t place) {
  Case taken{nullptr, {}, nullptr};
  for (size_t before = 0; before < place; ++before) {
    taken.branches.push_back({conditions[before], make_expression(NullLiteral())});
  }
  if (place < conditions.size()) {
    taken.branches.push_back({conditions[place], number(1)});
  } else {
    taken.otherwise = number(1);
  }
  return make_expression(std::move(taken));
}

}  // namespace

/// What a scalar expression is in the key query.
ExpressionPtr Level::key_expression(const ExpressionPtr& expression) {
  return in_key_query(over_table(expression));
}

/// An expression over columns of the key table, in the query that makes it.
ExpressionPtr Level::in_key_query(const ExpressionPtr& over_table) const {
  return rewrite(over_table, {[this](const ExpressionPtr& part) {
                                const auto* const column = std::get_if<ColumnReference>(&part->of);
                                return column == nullptr ? ExpressionPtr()
                                                         : columns_.at(column->column.text);
                              },
                              {},
                              {}});
}

Level::Choice Level::choice_of(const ExpressionPtr& expression, Reading& reading) {
  if (!expression || is_null_literal(expression)) {
    return {number_term(int64_t{0}), make_expression(BooleanLiteral{true})};
  }
  Reading own{{}, reading.labels, nullptr};
  Term term = term_of(expression, own);
  std::vector<ExpressionPtr> nulls{make_expression(BooleanLiteral{false})};
  for (const std::string& column : own.reads) {
    if (!columns_.has(column)) {
      throw_error(ErrorKind::unsupported,
                  "a window over tensors as one of several values; select it in a query within");
    }
    nulls.push_back(make_expression(Test{Test::Kind::null, false, columns_.at(column), nullptr}));
  }
  return {std::move(term), make_expression(Logical{Logical::Kind::any, std::move(nulls)}),
          std::move(own.reads), may_fail(expression)};
}

/// SQLite says for each row which one is taken, the last where no condition holds; a NULL in
/// another one does not matter.
Term Level::chosen(const std::vector<ExpressionPtr>& conditions, const std::vector<Choice>& choices,
                   Reading& reading) {
  Case taken{nullptr, {}, number(0)};
  Case is_there{nullptr, {}, nullptr};
  const auto unless_null = [](const Choice& choice) {
    return make_expression(
        Case{nullptr, {{choice.is_null, make_expression(NullLiteral())}}, number(1)});
  };
  for (size_t place = 0; place < conditions.size(); ++place) {
    taken.branches.push_back({conditions[place], number(place + 1)});
    is_there.branches.push_back({conditions[place], unless_null(choices[place])});
  }
  if (conditions.empty()) {
    reading.reads.push_back(columns_.add(unless_null(choices.back())));
    reading.is_of_tables = false;
    return choices.back().term;
  }
  is_there.otherwise = unless_null(choices.back());
  reading.reads.push_back(columns_.add(make_expression(std::move(is_there))));
  reading.is_of_tables = false;
  const std::string column = columns_.add(make_expression(std::move(taken)));
  const auto value_of = [&](size_t place) {
    const Choice& choice = choices[place];
    if (!choice.may_fail) {
      return choice.term;
    }
    std::vector<std::string> wanted = choice.reads;
    wanted.push_back(columns_.add(is_taken(conditions, place)));
    return computed_where(wanted, choice.term, reading);
  };
  Term term = value_of(choices.size() - 1);
  for (size_t place = conditions.size(); place-- > 0;) {
    const Term is_chosen = plain_term({DType::b1, {}}, [this, column, place](const Expressions&) {
      return program::call("equal", {space_->read_numbers(column, row_labels_),
                                     program::number(static_cast<int64_t>(place) + 1)});
    });
    term = elementwise("where", {is_chosen, value_of(place), term}, vocabulary_.functions, "CASE");
  }
  return term;
}

Term Level::case_term(const Case& node, Reading& reading) {
  std::vector<Case::Branch> branches = node.branches;
  if (node.operand) {
    for (Case::Branch& branch : branches) {
      branch.condition =
          make_expression(Operation{"=", {node.operand, branch.condition}}, branch.condition->span);
    }
  }
  if (std::all_of(branches.begin(), branches.end(),
                  [&](const Case::Branch& branch) { return is_plain(branch.condition); })) {
    std::vector<ExpressionPtr> conditions;
    std::vector<Choice> choices;
    for (const Case::Branch& branch : branches) {
      conditions.push_back(key_expression(branch.condition));
      choices.push_back(choice_of(branch.result, reading));
    }
    choices.push_back(choice_of(node.otherwise, reading));
    return chosen(conditions, choices, reading);
  }
  if (node.operand || !node.otherwise) {
    throw_error(ErrorKind::unsupported, "CASE by tensors is CASE WHEN condition THEN … ELSE … END");
  }
  Term term = term_of(node.otherwise, reading);
  for (size_t place = branches.size(); place-- > 0;) {
    const Case::Branch& branch = branches[place];
    term = elementwise("where",
                       {term_of(branch.condition, reading), term_of(branch.result, reading), term},
                       vocabulary_.functions, "CASE");
  }
  return term;
}

Term Level::first_of(const std::vector<Choice>& choices, Reading& reading) {
  std::vector<ExpressionPtr> conditions;
  for (size_t place = 0; place + 1 < choices.size(); ++place) {
    conditions.push_back(
        make_expression(Logical{Logical::Kind::negation, {choices[place].is_null}}));
  }
  return chosen(conditions, choices, reading);
}

Term Level::coalesce_term(const Call& node, Reading& reading) {
  std::vector<Choice> choices;
  for (const ExpressionPtr& argument : node.arguments) {
    choices.push_back(choice_of(argument, reading));
  }
  return first_of(choices, reading);
}

/// GREATEST and LEAST, element by element, of the arguments that are not NULL: in the place of one
/// that is stands another.
Term Level::extreme_term(const Call& node, Reading& reading) {
  std::vector<Choice> choices;
  for (const ExpressionPtr& argument : node.arguments) {
    if (!is_null_literal(argument)) {
      choices.push_back(choice_of(argument, reading));
    }
  }
  const std::string function = node.function.text == "greatest" ? "maximum" : "minimum";
  Term term = first_of(choices, reading);
  for (size_t place = 1; place < choices.size(); ++place) {
    std::rotate(choices.begin(), choices.begin() + 1, choices.end());
    term = elementwise(function, {term, first_of(choices, reading)}, vocabulary_.functions,
                       node.function.text);
  }
  return term;
}

}  // namespace tessera::sql
