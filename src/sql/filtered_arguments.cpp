#include "sql/filtered_arguments.h"

#include <utility>
#include <vector>

#include "frontend/sql/rewrite.h"
#include "sql/partial_functions.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

bool has_filters(const ExpressionPtr& expression) {
  bool found = false;
  for_each(expression, [&](const ExpressionPtr& part) {
    const auto* const call = std::get_if<Call>(&part->of);
    found = found || (call != nullptr && call->filter);
    return !found;
  });
  return found;
}

/// The part of a condition that is the same wherever it is computed; null if there is none.
ExpressionPtr without_draws(const ExpressionPtr& condition, const Vocabulary& vocabulary) {
  std::vector<ExpressionPtr> conjuncts;
  add_conjuncts(condition, conjuncts);
  std::erase_if(conjuncts,
                [&](const ExpressionPtr& one) { return draws(one, vocabulary.tensor_functions); });
  return conjuncts.empty()
             ? nullptr
             : make_expression(Logical{Logical::Kind::all, std::move(conjuncts)}, condition->span);
}

class FilteredArguments {
 public:
  FilteredArguments(const BoundSelect& select, QueryCompiler& compiler)
      : vocabulary_(compiler.vocabulary()),
        level_(select.scope, vocabulary_, compiler.random_keys()) {}

  ExpressionPtr written(const ExpressionPtr& expression) {
    if (!has_filters(expression)) {
      return expression;
    }
    bool is_whole = true;  // what was asked for, whose parts are done first
    const ExpressionPtr other = rewrite(
        expression, {[&](const ExpressionPtr& part) {
                       return std::exchange(is_whole, false) ? ExpressionPtr() : written(part);
                     },
                     {},
                     {}});
    const auto* const call = std::get_if<Call>(&other->of);
    return call != nullptr && call->filter ? filtered(*call, other->span) : other;
  }

 private:
  ExpressionPtr filtered(Call call, SourceSpan span) {
    const ExpressionPtr condition = without_draws(call.filter, vocabulary_);
    const auto write = [&](ExpressionPtr& value) {
      if (condition && may_fail(value) && !level_.is_plain(value)) {
        value = make_expression(Case{nullptr, {{condition, value}}, nullptr}, value->span);
      }
    };
    for (ExpressionPtr& argument : call.arguments) {
      write(argument);
    }
    for (OrderKey& key : call.order) {
      write(key.expression);
    }
    return make_expression(std::move(call), span);
  }

  const Vocabulary& vocabulary_;
  const Level level_;
};

}  // namespace

void write_filtered_as_case(BoundSelect& select, QueryCompiler& compiler) {
  FilteredArguments arguments(select, compiler);
  for_each_result(select,
                  [&](ExpressionPtr& expression) { expression = arguments.written(expression); });
}

}  // namespace tessera::sql
