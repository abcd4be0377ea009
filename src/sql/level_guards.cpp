#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/level.h"
#include "sql/partial_functions.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

ExpressionPtr truth_test(Test::Kind kind, bool is_negated, const ExpressionPtr& operand) {
  return make_expression(Test{kind, is_negated, operand, nullptr});
}

}  // namespace

/// A term that is computed for those rows alone in which no column is NULL, as a tensor of its own;
/// the other rows read any of it.
Term Level::computed_where(const std::vector<std::string>& columns, const Term& term,
                           const Reading& reading) {
  const Labels modes = reading.labels->of(term.type.shape);
  Term guarded = plain_term(
      term.type, [this, columns, term, modes, labels = reading.labels](const Expressions& indices) {
        RowReader* const all_rows = space_;
        const Labels all_labels = row_labels_;
        const int64_t id = space_id_;
        const std::optional<RowReader::RowsLeft> left = all_rows->rows_left(columns);
        if (!left) {
          return term.at(indices);
        }
        RowReader& rows = *left->rows;
        if (rows.num_rows() == 0) {
          return program::converted(term.type.dtype, program::number(int64_t{0}));
        }
        FreshLabels fresh = *labels;
        const Labels labels_of_rows = fresh.of(rows.grid());
        stand_on(rows, labels_of_rows);
        const TensorRows made = rows.program().add(
            rows.grid(), term.type, {left_of(joined(labels_of_rows, modes)), term.at(modes)});
        space_ = all_rows;
        row_labels_ = all_labels;
        space_id_ = id;
        return program::read(made.name, joined(left->places(all_labels), indices));
      });
  guarded.takes_indices = term.takes_indices;
  return guarded;
}

std::string Level::guard_column(const ExpressionPtr& condition) {
  const ExpressionPtr guard = make_expression(
      Case{nullptr, {{condition, make_expression(NumberLiteral{"1", true})}}, nullptr});
  bool is_key = true;
  size_t stage = has_queries(condition) ? stages_.size() : 0;  // queries may read any column
  for_each(condition, [&](const ExpressionPtr& part) {
    if (const auto* const column = std::get_if<ColumnReference>(&part->of)) {
      is_key = is_key && columns_.has(column->column.text);
      stage = std::max(stage, first_stage_with(column->column.text));
    }
    return true;
  });
  if (is_key) {
    return columns_.add(in_key_query(guard));
  }
  const std::string name =
      fmt::format("{}if{}", rows_ == nullptr ? "c" : "g", guard_names_.size() + 1);
  const auto [place, is_new] = guard_names_.emplace(sqlite_text(*guard), name);
  if (is_new) {
    stage_at(stage).guards.push_back({guard, Name{name, {}}});
    stages_of_columns_[name] = stage;
  }
  return place->second;
}

Level::ComputedStage& Level::stage_at(size_t number) {
  stages_.resize(std::max(stages_.size(), number + 1));
  return stages_[number];
}

size_t Level::first_stage_with(const std::string& column) const {
  const auto found = stages_of_columns_.find(column);
  return found == stages_of_columns_.end() ? 0 : found->second;
}

std::vector<Level::ComputedStage> Level::take_computed() {
  stages_of_columns_.clear();
  return std::exchange(stages_, {});
}

ExpressionPtr Level::over_table_where(const std::vector<ExpressionPtr>& conditions,
                                      const ExpressionPtr& expression) {
  if (conditions.empty() || !is_guarded(expression)) {
    return over_table(expression);
  }
  guards_.push_back(guard_column(make_expression(Logical{Logical::Kind::all, conditions})));
  ExpressionPtr over;
  try {
    over = over_table(expression);
  } catch (...) {
    guards_.pop_back();
    throw;
  }
  guards_.pop_back();
  return over;
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
  other.operand = nullptr;
  std::vector<ExpressionPtr> open;  // no condition so far holds
  for (Case::Branch& branch : other.branches) {
    if (node.operand) {
      branch.condition =
          make_expression(Operation{"=", {node.operand, branch.condition}}, branch.condition->span);
    }
    branch.condition = is_guarded(node.operand) ? over_table(branch.condition)
                                                : over_table_where(open, branch.condition);
    std::vector<ExpressionPtr> taken = open;
    taken.push_back(branch.condition);
    branch.result = over_table_where(taken, branch.result);
    open.push_back(truth_test(Test::Kind::true_, true, branch.condition));
  }
  other.otherwise = other.otherwise ? over_table_where(open, other.otherwise) : nullptr;
  return make_expression(std::move(other), span);
}

ExpressionPtr Level::guarded_coalesce(const Call& node, SourceSpan span) {
  Call other = node;
  std::vector<ExpressionPtr> open;  // all so far are NULL
  for (ExpressionPtr& argument : other.arguments) {
    argument = over_table_where(open, argument);
    open.push_back(truth_test(Test::Kind::null, false, argument));
  }
  return make_expression(std::move(other), span);
}

/// The operands of AND or OR: one that may have no value is computed where all that surely have
/// one, and those before it, leave the answer open.
std::vector<ExpressionPtr> Level::guarded_operands(const Logical& node) {
  const Test::Kind decides =
      node.kind == Logical::Kind::all ? Test::Kind::false_ : Test::Kind::true_;
  std::vector<ExpressionPtr> operands = node.operands;
  std::vector<ExpressionPtr> open;
  for (const bool may_fail : {false, true}) {
    for (size_t place = 0; place < operands.size(); ++place) {
      if (is_guarded(node.operands[place]) == may_fail) {
        operands[place] = over_table_where(open, node.operands[place]);
        open.push_back(truth_test(decides, true, operands[place]));
      }
    }
  }
  return operands;
}

}  // namespace tessera::sql
