#include "sql/choices_by_tensors.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/partial_functions.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

bool is_tensor(const ExpressionPtr& expression, Level& level) {
  const std::optional<TensorValue> value =
      level.is_plain(expression) ? std::nullopt : level.tensor_of(expression);
  return value && !value->is_number();
}

bool has_outer_joins(const FromItemPtr& item) {
  const auto* const join = std::get_if<JoinReference>(&item->of);
  const bool is_inner = join == nullptr || join->kind == JoinReference::Kind::inner ||
                        join->kind == JoinReference::Kind::cross;
  return !is_inner ||
         (join != nullptr && (has_outer_joins(join->left) || has_outer_joins(join->right)));
}

bool has_nulls(const ColumnReference& reference, const Scope& scope, QueryCompiler& compiler) {
  for (const Scope::Entry& entry : scope.entries()) {
    for (const RelationColumn& column : entry.relation->columns) {
      if ((!reference.table || reference.table->text == entry.alias) &&
          column.key == reference.column.text) {
        return compiler.connection().integer(
                   fmt::format("SELECT EXISTS (SELECT 1 FROM {} WHERE {} IS NULL)",
                               sqlite_name(entry.relation->table), sqlite_name(column.key))) != 0;
      }
    }
  }
  return true;
}

/// Whether SQLite may make NULL of what is not: it divides by 0, and has functions that do.
bool may_make_null(const ExpressionPtr& expression, const Level& level) {
  const auto* const operation = std::get_if<Operation>(&expression->of);
  const bool divides =
      operation != nullptr && (operation->symbol == "/" || operation->symbol == "%");
  return (divides || std::holds_alternative<Call>(expression->of)) && level.is_plain(expression);
}

/// Whether an expression may be NULL in some row, as far as can be told before there are rows.
bool may_be_null(const ExpressionPtr& expression, const BoundSelect& select, const Level& level,
                 QueryCompiler& compiler) {
  bool may_be = std::any_of(select.from.begin(), select.from.end(), has_outer_joins);
  for_each(expression, [&](const ExpressionPtr& part) {
    const auto* const column = std::get_if<ColumnReference>(&part->of);
    const auto* const call = std::get_if<Call>(&part->of);
    const auto* const node = std::get_if<Case>(&part->of);
    may_be = may_be || std::holds_alternative<NullLiteral>(part->of) ||
             (node != nullptr && !node->otherwise) || may_make_null(part, level) ||
             std::holds_alternative<ScalarQuery>(part->of) ||
             (call != nullptr && (call->over || call->filter)) ||
             (column != nullptr && has_nulls(*column, select.scope, compiler));
    return !may_be;
  });
  return may_be;
}

/// Whether what a condition says of its parts is not the same element by element: what asks for
/// NULLs, and for which tensors have no words.
bool is_for_sqlite(const ExpressionPtr& condition) {
  bool found = false;
  for_each(condition, [&](const ExpressionPtr& part) {
    found = found || std::holds_alternative<Test>(part->of) ||
            std::holds_alternative<In>(part->of) || std::holds_alternative<Exists>(part->of) ||
            std::holds_alternative<Between>(part->of) || std::holds_alternative<Like>(part->of);
    return !found;
  });
  return found;
}

/// The conditions of a CASE, and what it gives.
struct Parts {
  std::vector<ExpressionPtr> conditions, results;

  explicit Parts(const Case& node) {
    for (const Case::Branch& branch : node.branches) {
      conditions.push_back(branch.condition);
      results.push_back(branch.result);
    }
    if (node.operand) {
      conditions.push_back(node.operand);
    }
    if (node.otherwise) {
      results.push_back(node.otherwise);
    }
  }
};

bool is_nullif(const ExpressionPtr& expression) {
  const auto* const call = std::get_if<Call>(&expression->of);
  return call != nullptr && call->function.text == "nullif" && call->arguments.size() == 2;
}

/// Looks for choices in one SELECT.
class Choices {
 public:
  Choices(const BoundSelect& select, QueryCompiler& compiler)
      : select_(select),
        compiler_(compiler),
        keys_(compiler.random_keys()),  // what is drawn here is not drawn
        rows_(select.scope, compiler.vocabulary(), keys_),
        groups_(rows_, compiler.vocabulary(), select.constant_in_groups) {}

  ExpressionSet cases() {
    ExpressionSet found;
    Level& level = select_.is_grouped ? groups_ : rows_;
    const auto look = [&](const ExpressionPtr& expression) {
      const ExpressionSet in_tensors = parts_of_tensors(expression, level);
      for_each(expression, [&](const ExpressionPtr& part) {
        if (is_choice(part, in_tensors.count(part) != 0, level)) {
          found.insert(part);
        }
        return !is_aggregate_call(part);
      });
    };
    for_each_result(select_, look);
    if (!select_.is_grouped) {
      std::for_each(select_.conjuncts.begin(), select_.conjuncts.end(), look);
    }
    return found;
  }

  ExpressionSet aggregates() {
    ExpressionSet found;
    for_each_result(select_, [&](const ExpressionPtr& expression) {
      for_each(expression, [&](const ExpressionPtr& part) {
        const bool is_call = is_aggregate_call(part);
        if (is_call && is_by_tensors(std::get<Call>(part->of))) {
          found.insert(part);
        }
        return !is_call;
      });
    });
    return found;
  }

  bool has_conditions() {
    return std::any_of(select_.conjuncts.begin(), select_.conjuncts.end(),
                       [&](const ExpressionPtr& condition) { return has_choice(condition); });
  }

 private:
  bool is_aggregate_call(const ExpressionPtr& expression) const {
    const auto* const call = std::get_if<Call>(&expression->of);
    return select_.is_grouped && call != nullptr && !call->over &&
           is_aggregate(call->function.text, compiler_.vocabulary());
  }

  bool is_by_tensors(const Call& call) {
    const bool is_filtered = call.filter && !rows_.is_plain(call.filter) &&
                             call.arguments.size() == 1 &&
                             is_tensor_around(call.arguments[0], rows_);
    return is_filtered || std::any_of(call.arguments.begin(), call.arguments.end(),
                                      [&](const ExpressionPtr& part) { return has_choice(part); });
  }

  bool has_choice(const ExpressionPtr& expression) {
    const ExpressionSet in_tensors = parts_of_tensors(expression, rows_);
    bool found = false;
    for_each(expression, [&](const ExpressionPtr& part) {
      found = found || is_choice(part, in_tensors.count(part) != 0, rows_);
      return !found;
    });
    return found;
  }

  static bool has_case(const ExpressionPtr& expression) {
    bool found = false;
    for_each(expression, [&](const ExpressionPtr& part) {
      found = found || std::holds_alternative<Case>(part->of);
      return !found;
    });
    return found;
  }

  /// An expression of the same shape without CASEs by what tensors make.
  ExpressionPtr without_choices(const ExpressionPtr& expression, Level& level) const {
    const auto one = [&](const ExpressionPtr& part) -> ExpressionPtr {
      if (is_aggregate_call(part)) {
        return part;
      }
      const auto* const node = std::get_if<Case>(&part->of);
      if (node == nullptr || level.is_plain(part)) {
        return nullptr;
      }
      for (const ExpressionPtr& result : Parts(*node).results) {
        if (is_tensor_around(result, level)) {
          return without_choices(result, level);
        }
      }
      return make_expression(NumberLiteral{"1", true});
    };
    return rewrite(expression, {one, {}, {}});
  }

  /// Whether an expression is a tensor, in which conditions have no part.
  bool is_tensor_around(const ExpressionPtr& expression, Level& level) const {
    return is_tensor(without_choices(expression, level), level);
  }

  /// Those parts of an expression with a CASE that are in one that is a tensor.
  ExpressionSet parts_of_tensors(const ExpressionPtr& expression, Level& level) {
    ExpressionSet found;
    for_each(expression, [&](const ExpressionPtr& part) {
      const bool is_one = has_case(part) && is_tensor_around(part, level);
      if (is_one) {
        for_each(part, [&](const ExpressionPtr& within) {
          found.insert(within);
          return true;
        });
      }
      return !is_one && !is_aggregate_call(part);
    });
    return found;
  }

  /// True if SQLite has to know which rows take what in a CASE by what tensors make: a condition or
  /// a result may be NULL, a condition has no words of tensors, or a result may have no value in
  /// rows that do not take it. A CASE of numbers that is in no tensor is SQLite's anyway.
  bool is_choice(const ExpressionPtr& expression, bool is_in_tensor, Level& level) {
    const auto* const node = std::get_if<Case>(&expression->of);
    if (node == nullptr) {
      return false;
    }
    const auto is_of_tensors = [&](const ExpressionPtr& part) { return !level.is_plain(part); };
    const auto is_one = [&](const ExpressionPtr& part) { return is_tensor_around(part, level); };
    const auto may_be_none = [&](const ExpressionPtr& part) {
      return may_be_null(part, select_, level, compiler_);
    };
    const auto may_have_none = [&](const ExpressionPtr& part) {
      return is_of_tensors(part) && may_fail(part);
    };
    const auto [conditions, results] = Parts(*node);
    const bool may_fail = std::any_of(results.begin(), results.end(), may_have_none);
    return std::any_of(conditions.begin(), conditions.end(), is_of_tensors) &&
           (is_in_tensor || std::any_of(results.begin(), results.end(), is_one)) &&
           std::none_of(conditions.begin(), conditions.end(), is_one) &&
           (node->operand || !node->otherwise || may_fail ||
            std::any_of(conditions.begin(), conditions.end(), is_for_sqlite) ||
            std::any_of(conditions.begin(), conditions.end(), may_be_none) ||
            std::any_of(results.begin(), results.end(), may_be_none));
  }

  const BoundSelect& select_;
  QueryCompiler& compiler_;
  RandomKeys keys_;
  Level rows_, groups_;
};

}  // namespace

ExpressionSet cases_by_tensors(const BoundSelect& select, QueryCompiler& compiler) {
  return Choices(select, compiler).cases();
}

ExpressionSet aggregates_by_tensors(const BoundSelect& select, QueryCompiler& compiler) {
  return Choices(select, compiler).aggregates();
}

bool has_conditions_by_cases(const BoundSelect& select, QueryCompiler& compiler) {
  return Choices(select, compiler).has_conditions();
}

void write_nullif_as_case(BoundSelect& select, QueryCompiler& compiler) {
  const Level level(select.scope, compiler.vocabulary(), compiler.random_keys());
  const std::function<ExpressionPtr(const ExpressionPtr&)> written =
      [&](const ExpressionPtr& part) -> ExpressionPtr {
    if (!is_nullif(part) || level.is_plain(part)) {
      return nullptr;
    }
    const Call& call = std::get<Call>(part->of);
    const ExpressionPtr value = rewrite(call.arguments[0], {written, {}, {}});
    const ExpressionPtr other = rewrite(call.arguments[1], {written, {}, {}});
    const ExpressionPtr is_same =
        make_expression(Test{Test::Kind::distinct, true, value, other}, part->span);
    return make_expression(Case{nullptr, {{is_same, make_expression(NullLiteral())}}, value},
                           part->span);
  };
  const auto write = [&](ExpressionPtr& expression) {
    bool has_nullif = false;
    for_each(expression, [&](const ExpressionPtr& part) {
      has_nullif = has_nullif || is_nullif(part);
      return !has_nullif;
    });
    expression = has_nullif ? rewrite(expression, {written, {}, {}}) : expression;
  };
  for_each_result(select, write);
  std::for_each(select.conjuncts.begin(), select.conjuncts.end(), write);
  std::for_each(select.group_by.begin(), select.group_by.end(), write);
}

}  // namespace tessera::sql
