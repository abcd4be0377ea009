#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "frontend/sql/rewrite.h"
#include "sql/level.h"
#include "sql/partial_functions.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

ExpressionPtr null_test_of(const ExpressionPtr& operand, bool is_negated) {
  return make_expression(Test{Test::Kind::null, is_negated, operand, nullptr});
}

ExpressionPtr all_hold(std::vector<ExpressionPtr> conditions) {
  return conditions.empty() ? nullptr
                            : make_expression(Logical{Logical::Kind::all, std::move(conditions)});
}

}  // namespace

/// A term that is computed for those rows alone in which no column is NULL, as a tensor of its own;
/// the other rows read any of it.
Term Level::computed_where(const std::vector<std::string>& columns, const Term& term,
                           const Reading& reading) {
  const Labels modes = reading.labels->of(term.type.shape);
  Term guarded = plain_term(
      term.type,
      [this, columns, term, modes, labels = reading.labels](const Labels& indices) -> std::string {
        RowSpace* const all_rows = space_;
        const Labels all_labels = row_labels_;
        const int64_t id = space_id_;
        RowSpace rows = *all_rows;
        if (!rows.leave_out_nulls(columns)) {
          return text_of(term, indices);
        }
        if (rows.num_rows() == 0) {
          return fmt::format("{}(0)", name_of(term.type.dtype));
        }
        FreshLabels fresh = *labels;
        Labels left = fresh.of(rows.grid());
        stand_on(rows, left);
        left.insert(left.end(), modes.begin(), modes.end());
        const TensorRows made =
            rows.program().add(rows.grid(), term.type, left, text_of(term, modes), fresh);
        space_ = all_rows;
        row_labels_ = all_labels;
        space_id_ = id;
        Labels read{all_rows->places_among(rows, all_labels)};
        read.insert(read.end(), indices.begin(), indices.end());
        return fmt::format("{}[{}]", made.name, fmt::join(read, ","));
      });
  guarded.takes_indices = term.takes_indices;
  return guarded;
}

template <class Do>
ExpressionPtr Level::where_needed(const ExpressionPtr& condition, const Do& act) {
  if (!condition) {
    return act();
  }
  const Case wanted{nullptr, {{condition, make_expression(NumberLiteral{"1", true})}}, nullptr};
  guards_.push_back(columns_.add(make_expression(wanted)));
  ExpressionPtr done;
  try {
    done = act();
  } catch (...) {
    guards_.pop_back();
    throw;
  }
  guards_.pop_back();
  return done;
}

bool Level::is_guarded(const ExpressionPtr& expression) const {
  return expression && has_tensors(expression) && may_fail(expression);
}

/// Rewrites a choice among numbers that may have no value, so that each is computed only for the
/// rows that choose it. SQLite finds these rows. Returns null for every other expression.
ExpressionPtr Level::guarded_choice(const ExpressionPtr& expression) {
  if (const auto* const node = std::get_if<Case>(&expression->of)) {
    return guarded_case(*node, expression->span);
  }
  const auto* const call = std::get_if<Call>(&expression->of);
  return call != nullptr && call->function.text == "coalesce"
             ? guarded_coalesce(*call, expression->span)
             : nullptr;
}

ExpressionPtr Level::guarded_case(const Case& node, SourceSpan span) {
  Case other = node;
  bool has_guarded = is_guarded(node.otherwise);
  for (Case::Branch& branch : other.branches) {
    has_guarded = has_guarded || is_guarded(branch.result);
    if (node.operand) {
      branch.condition =
          make_expression(Operation{"=", {node.operand, branch.condition}}, branch.condition->span);
    }
    if (!is_plain(branch.condition)) {
      return nullptr;
    }
  }
  if (!has_guarded) {
    return nullptr;
  }
  other.operand = nullptr;
  std::vector<ExpressionPtr> before;  // none of them holds
  const auto value_of = [&](const ExpressionPtr& result, std::vector<ExpressionPtr> wanted) {
    return is_guarded(result)
               ? where_needed(all_hold(std::move(wanted)), [&] { return over_table(result); })
               : over_table(result);
  };
  for (Case::Branch& branch : other.branches) {
    const ExpressionPtr condition = key_expression(branch.condition);
    std::vector<ExpressionPtr> wanted = before;
    wanted.push_back(condition);
    branch.result = value_of(branch.result, std::move(wanted));
    branch.condition = over_table(branch.condition);
    before.push_back(make_expression(Test{Test::Kind::true_, true, condition, nullptr}));
  }
  other.otherwise = other.otherwise ? value_of(other.otherwise, before) : nullptr;
  return make_expression(std::move(other), span);
}

ExpressionPtr Level::guarded_coalesce(const Call& node, SourceSpan span) {
  Call other = node;
  std::vector<ExpressionPtr> before;  // all are NULL
  for (ExpressionPtr& argument : other.arguments) {
    const bool is_known = is_plain(argument);
    const ExpressionPtr key = is_known ? key_expression(argument) : nullptr;
    argument = is_guarded(argument)
                   ? where_needed(all_hold(before), [&] { return over_table(argument); })
                   : over_table(argument);
    if (is_known) {
      before.push_back(null_test_of(key, false));
    }
  }
  return make_expression(std::move(other), span);
}

/// The operands of AND or OR: one that may have no value is computed where those before it that
/// SQLite knows leave the answer open.
std::vector<ExpressionPtr> Level::guarded_operands(const Logical& node) {
  const Test::Kind decides =
      node.kind == Logical::Kind::all ? Test::Kind::false_ : Test::Kind::true_;
  std::vector<ExpressionPtr> operands;
  std::vector<ExpressionPtr> open;
  for (const ExpressionPtr& operand : node.operands) {
    if (node.kind != Logical::Kind::negation && is_plain(operand)) {
      open.push_back(make_expression(Test{decides, true, key_expression(operand), nullptr}));
    }
    operands.push_back(is_guarded(operand)
                           ? where_needed(all_hold(open), [&] { return over_table(operand); })
                           : over_table(operand));
  }
  return operands;
}

}  // namespace tessera::sql
