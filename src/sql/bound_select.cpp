#include "sql/bound_select.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/error.h"
#include "frontend/sql/rewrite.h"
#include "sql/equality_by_value.h"
#include "sql/filtered_arguments.h"
#include "sql/joined_names.h"
#include "sql/joined_pairs.h"
#include "sql/partial_functions.h"
#include "sql/predicate_pushdown.h"
#include "sql/rank_bounds.h"
#include "sql/star_columns.h"
#include "sql/statement_error.h"
#include "sql/tensor_building.h"
#include "sql/unnest.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

/// Binds one SELECT.
class Binding {
 public:
  Binding(const Select& select, QueryCompiler& compiler) : select_(select), compiler_(compiler) {}

  BoundSelect bind() {
    find_tables();
    find_targets();
    find_clauses();
    return std::move(bound_);
  }

 private:
  void find_tables() {
    for (const FromItemPtr& item : select_.from) {
      const FromItemPtr bounded = with_rank_bounds(item, select_);
      bound_.from.push_back(compiler_.prepared(
          with_pushed_conditions(bounded, select_, compiler_.vocabulary()), bound_.scope));
    }
    bound_.from = with_tables_in_conditions(bound_.from, bound_.scope);
    star_ = columns_of_star(bound_.from, bound_.scope);
    find_conditions();
    compare_by_value(bound_, compiler_);
    for (FromItemPtr& item : bound_.from) {
      item = without_tensors(item, true);
    }
    const std::vector<ExpressionPtr>& conditions = bound_.scope.conditions();
    bound_.conjuncts.insert(bound_.conjuncts.end(), conditions.begin(), conditions.end());
    for (const ExpressionPtr& condition : bound_.conjuncts) {
      refuse_windows(condition, "WHERE");
    }
  }

  /// Conditions without queries come first: they tell for which rows the queries in the others are
  /// asked, and all conditions tell it of the queries in what follows.
  void find_conditions() {
    std::vector<ExpressionPtr> written;
    add_conjuncts(select_.where, written);
    std::vector<ExpressionPtr> found(written.size());
    const auto prepare_those = [&](bool with_queries) {
      for (size_t place = 0; place < written.size(); ++place) {
        if (has_queries(written[place]) == with_queries) {
          found[place] = prepared(with_targets(written[place]));
        }
      }
    };
    prepare_those(false);
    ask_for_rows(found);
    prepare_those(true);
    ask_for_rows(found);
    for (const ExpressionPtr& condition : found) {
      add_conjuncts(condition, bound_.conjuncts);
    }
  }

  void ask_for_rows(const std::vector<ExpressionPtr>& conditions) {
    const Level level(bound_.scope, compiler_.vocabulary(), compiler_.random_keys());
    if (!std::all_of(bound_.from.begin(), bound_.from.end(),
                     [&](const FromItemPtr& item) { return is_plain_join(item, level); })) {
      return;
    }
    Scope::AskedRows rows{bound_.from, {}};
    std::copy_if(conditions.begin(), conditions.end(), std::back_inserter(rows.conditions),
                 [&](const ExpressionPtr& condition) {
                   return condition && !has_calls_over(condition) &&
                          !draws(condition, compiler_.vocabulary().tensor_functions);
                 });
    bound_.scope.ask_for(std::move(rows));
  }

  static bool is_plain_join(const FromItemPtr& item, const Level& level) {
    const auto* const join = std::get_if<JoinReference>(&item->of);
    return join == nullptr ||
           (is_plain_join(join->left, level) && is_plain_join(join->right, level) &&
            join->using_columns.empty() && (!join->condition || level.is_plain(join->condition)));
  }

  static bool has_calls_over(const ExpressionPtr& expression) {
    bool found = false;
    for_each(expression, [&](const ExpressionPtr& part) {
      const auto* const call = std::get_if<Call>(&part->of);
      found = found || (call != nullptr && (call->over || is_unnest(*call)));
      return !found;
    });
    return found;
  }

  /// Replaces aliases of targets in WHERE and HAVING by the targets. A column of that name comes
  /// first.
  ExpressionPtr with_targets(const ExpressionPtr& expression) const {
    if (!expression) {
      return nullptr;
    }
    const auto target_of = [&](const ExpressionPtr& part) -> ExpressionPtr {
      const auto* const column = std::get_if<ColumnReference>(&part->of);
      if (column == nullptr || column->table || bound_.scope.has_column(column->column.text)) {
        return nullptr;
      }
      for (const Target& target : select_.targets) {
        if (target.alias && target.alias->text == column->column.text) {
          return std::make_shared<const Expression>(Expression{target.expression->of, part->span});
        }
      }
      return nullptr;
    };
    return rewrite(expression, {target_of, {}, {}});
  }

  /// What there is behind rows and groups, which are found here.
  static void refuse_windows(const ExpressionPtr& expression, const char* clause) {
    for_each(expression, [&](const ExpressionPtr& part) {
      const auto* const call = std::get_if<Call>(&part->of);
      const bool is_unnested = call != nullptr && is_unnest(*call);
      at(part->span, [&] {
        TESSERA_USER_CHECK(call == nullptr || (!call->over && !is_unnested),
                           "{} may not stand in {}; select it in a query within",
                           is_unnested ? "unnest" : "a window", clause);
      });
      return true;
    });
  }

  void find_targets() {
    for (const Target& target : select_.targets) {
      if (const auto* star = std::get_if<Star>(&target.expression->of)) {
        const std::vector<Target> columns =
            star->table ? bound_.scope.columns_of(*star->table) : star_;
        bound_.targets.insert(bound_.targets.end(), columns.begin(), columns.end());
      } else {
        bound_.targets.push_back({prepared(target.expression), Name{name_of(target), {}}});
      }
    }
  }

  void find_clauses() {
    for (const ExpressionPtr& key : select_.group_by) {
      bound_.group_by.push_back(meant(key, true));
    }
    for (const OrderKey& key : select_.order) {
      bound_.order.push_back(key);
      bound_.order.back().expression = meant(key.expression, false);
    }
    for (const ExpressionPtr& key : bound_.group_by) {
      refuse_windows(key, "GROUP BY");
    }
    bound_.having = prepared(with_targets(select_.having));
    refuse_windows(bound_.having, "HAVING");
    bound_.is_distinct = select_.is_distinct;
    Scope nothing;  // LIMIT names no column
    bound_.limit = compiler_.prepared(select_.limit, nothing);
    bound_.offset = compiler_.prepared(select_.offset, nothing);
    bound_.scope.add_queries_of(nothing);
    for_each_result(
        bound_, [&](ExpressionPtr& expression) { expression = with_named_windows(expression); });
    for_each_result(bound_, [&](const ExpressionPtr& expression) { refuse_within(expression); });
    bound_.is_grouped = !bound_.group_by.empty() || bound_.having || has_aggregates();
    for_each_result(bound_, [&](const ExpressionPtr& expression) { find_constants(expression); });
    bound_.rank_bound = rank_bound_of(select_, bound_.targets);
  }

  /// Notes what the query around asks with: each group is made for one of its values.
  void find_constants(const ExpressionPtr& expression) {
    for_each(expression, [&](const ExpressionPtr& part) {
      if (is_outer_tensor(part, bound_.scope)) {
        bound_.constant_in_groups.insert(std::get<ColumnReference>(part->of).column.text);
      }
      return true;
    });
  }

  /// Aggregates are of rows as they are before windows and unnest.
  void refuse_within(const ExpressionPtr& expression) const {
    for_each(expression, [&](const ExpressionPtr& part) {
      const auto* const call = std::get_if<Call>(&part->of);
      for (size_t place = 0; is_aggregate_call(part) && place < call->arguments.size(); ++place) {
        refuse_windows(call->arguments[place], "an aggregate");
      }
      return true;
    });
  }

  bool is_aggregate_call(const ExpressionPtr& expression) const {
    return sql::is_aggregate_call(expression, compiler_.vocabulary());
  }

  ExpressionPtr prepared(const ExpressionPtr& expression) {
    return compiler_.prepared(expression, bound_.scope);
  }

  ExpressionPtr meant(const ExpressionPtr& expression, bool columns_first) {
    const auto* const column = std::get_if<ColumnReference>(&expression->of);
    const bool is_column =
        column != nullptr && columns_first && bound_.scope.has_column(column->column.text);
    const ExpressionPtr target = is_column ? nullptr : meant_target(expression, bound_.targets);
    return target ? target : prepared(expression);
  }

  /// A join whose condition is about tensors: of an inner one it goes to those of WHERE, of others
  /// the pairs of rows that meet are found first.
  FromItemPtr without_tensors(const FromItemPtr& item, bool is_inner) {
    const auto* const join = std::get_if<JoinReference>(&item->of);
    if (join == nullptr) {
      return item;
    }
    const Level level(bound_.scope, compiler_.vocabulary(), compiler_.random_keys());
    JoinReference other = *join;
    const bool inner = is_inner && (join->kind == JoinReference::Kind::inner ||
                                    join->kind == JoinReference::Kind::cross);
    other.left = without_tensors(join->left, inner);
    other.right = without_tensors(join->right, inner);
    refuse_tensors_in_common(*join);
    if (join->condition && !level.is_plain(join->condition)) {
      if (inner) {
        add_conjuncts(join->condition, bound_.conjuncts);
        other.condition = make_expression(BooleanLiteral{true});
      } else {
        other = joined_by_pairs(std::move(other), bound_.scope, compiler_);
      }
    }
    FromItem changed = *item;
    changed.of = std::move(other);
    return std::make_shared<const FromItem>(std::move(changed));
  }

  /// USING would compare row numbers.
  void refuse_tensors_in_common(const JoinReference& join) const {
    for (const Name& name : join.using_columns) {
      for (const Scope::Entry& entry : bound_.scope.entries()) {
        for (const RelationColumn& column : entry.relation->columns) {
          if (column.key == name.text && column.tensor) {
            at(name.span, [&] {
              throw_error(ErrorKind::unsupported,
                          "column {} of tensors in USING or a NATURAL join; say ON", name.text);
            });
          }
        }
      }
    }
  }

  bool has_aggregates() const {
    bool found = false;
    const auto look = [&](const ExpressionPtr& part) {
      found = found || is_aggregate_call(part);
      return !found;
    };
    for_each_result(bound_, [&](const ExpressionPtr& expression) { for_each(expression, look); });
    return found;
  }

  /// `OVER w` with what WINDOW says of it.
  ExpressionPtr with_named_windows(const ExpressionPtr& expression) {
    if (select_.windows.empty()) {
      return expression;
    }
    return rewrite(expression, {[&](const ExpressionPtr& part) -> ExpressionPtr {
                                  const auto* const call = std::get_if<Call>(&part->of);
                                  if (call == nullptr || !call->over || !call->over->name) {
                                    return nullptr;
                                  }
                                  Call other = *call;
                                  other.over = named_window(*call->over);
                                  return make_expression(std::move(other), part->span);
                                },
                                {},
                                {}});
  }

  std::shared_ptr<const Window> named_window(const Window& window) {
    for (const NamedWindow& named : select_.windows) {
      if (named.name.text != window.name->text) {
        continue;
      }
      Window whole = window;
      whole.name = std::nullopt;
      const Window base = named.window.name ? *named_window(named.window) : named.window;
      for (const ExpressionPtr& key : base.partition) {
        whole.partition.push_back(prepared(key));
      }
      for (OrderKey key : base.order) {
        key.expression = prepared(key.expression);
        whole.order.push_back(std::move(key));
      }
      if (!whole.frame) {
        whole.frame = base.frame;
      }
      return std::make_shared<const Window>(std::move(whole));
    }
    return at(window.name->span, [&]() -> std::shared_ptr<const Window> {
      throw_error(ErrorKind::user, "there is no window {}", window.name->text);
    });
  }

  const Select& select_;
  QueryCompiler& compiler_;
  BoundSelect bound_;
  std::vector<Target> star_;  // what `*` means
};

}  // namespace

void add_conjuncts(const ExpressionPtr& condition, std::vector<ExpressionPtr>& conjuncts) {
  if (!condition) {
    return;
  }
  const auto* const logical = std::get_if<Logical>(&condition->of);
  if (logical == nullptr || logical->kind != Logical::Kind::all) {
    conjuncts.push_back(condition);
    return;
  }
  for (const ExpressionPtr& operand : logical->operands) {
    add_conjuncts(operand, conjuncts);
  }
}

ExpressionPtr meant_target(const ExpressionPtr& expression, const std::vector<Target>& targets) {
  if (const auto* number = std::get_if<NumberLiteral>(&expression->of);
      number != nullptr && number->is_integer) {
    const int64_t place = std::stoll(number->text);
    return at(expression->span, [&] {
      TESSERA_USER_CHECK(place >= 1 && place <= static_cast<int64_t>(targets.size()),
                         "there is no column {} to go by", place);
      return targets[static_cast<size_t>(place - 1)].expression;
    });
  }
  const auto* const column = std::get_if<ColumnReference>(&expression->of);
  if (column != nullptr && !column->table) {
    for (const Target& target : targets) {
      if (target.alias && target.alias->text == column->column.text) {
        return target.expression;
      }
    }
  }
  return nullptr;
}

BoundSelect select_from(const RelationPtr& relation, const std::string& alias) {
  BoundSelect select;
  select.scope.add(alias, relation);
  FromItem item{TableReference{Name{relation->table, {}}, {}, false}, Name{alias, {}}, {}, {}};
  select.from.push_back(std::make_shared<const FromItem>(std::move(item)));
  select.targets = columns_of_star(select.from, select.scope);
  return select;
}

BoundSelect bind(const Select& select, QueryCompiler& compiler) {
  BoundSelect bound = Binding(select, compiler).bind();
  push_having(bound, compiler);
  write_filtered_as_case(bound, compiler);
  return bound;
}

}  // namespace tessera::sql
