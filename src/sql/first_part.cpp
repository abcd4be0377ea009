#include "sql/first_part.h"

#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/equal_tensors.h"
#include "sql/partial_functions.h"
#include "sql/rank_bounds.h"
#include "sql/ranked_tensors.h"
#include "sql/stages.h"
#include "sql/statement_error.h"
#include "sql/tensor_building.h"
#include "sql/top_rows_select.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

ExpressionPtr called(const std::string& name, const std::vector<ExpressionPtr>& arguments) {
  return make_expression(Call{Name{name, {}}, arguments});
}

/// A column with its table before it.
ExpressionPtr qualified(const ColumnReference& column, const Scope& scope) {
  for (const Scope::Entry& entry : scope.entries()) {
    for (const RelationColumn& found : entry.relation->columns) {
      if (!column.table && found.key == column.column.text) {
        return make_expression(ColumnReference{Name{entry.alias, {}}, column.column});
      }
    }
  }
  return nullptr;
}

/// SQLite has no words for arrays, elements, casts to tensors and what builds tensors: they are
/// said as calls.
ExpressionPtr sayable(const ExpressionPtr& expression, const Scope& scope) {
  const auto rest = [&](const ExpressionPtr& part) {
    return part ? sayable(part, scope) : make_expression(NullLiteral{});
  };
  return rewrite(expression,
                 {[&](const ExpressionPtr& part) -> ExpressionPtr {
                    if (const auto* column = std::get_if<ColumnReference>(&part->of)) {
                      return qualified(*column, scope);
                    }
                    if (const auto* array = std::get_if<ArrayLiteral>(&part->of)) {
                      std::vector<ExpressionPtr> elements;
                      for (const ExpressionPtr& element : array->elements) {
                        elements.push_back(rest(element));
                      }
                      return called("an array", elements);
                    }
                    if (const auto* element = std::get_if<Element>(&part->of)) {
                      std::vector<ExpressionPtr> parts{rest(element->operand)};
                      for (const Element::Subscript& subscript : element->subscripts) {
                        parts.push_back(called(subscript.is_slice ? "a slice" : "an element",
                                               {rest(subscript.low), rest(subscript.high)}));
                      }
                      return called("elements", parts);
                    }
                    if (const auto* call = std::get_if<Call>(&part->of);
                        call != nullptr && builds_tensors(call->function.text)) {
                      std::vector<ExpressionPtr> parts;
                      for (const ExpressionPtr& argument : call->arguments) {
                        parts.push_back(rest(argument));
                      }
                      for (const OrderKey& key : call->order) {
                        parts.push_back(called(key.is_descending ? "descending" : "ascending",
                                               {rest(key.expression)}));
                      }
                      parts.push_back(rest(call->filter));
                      return called(call->function.text, parts);
                    }
                    if (const auto* cast = std::get_if<Cast>(&part->of)) {
                      std::string type = "cast to " + cast->type.name.text;
                      for (const std::string& modifier : cast->type.modifiers) {
                        type += " " + modifier;
                      }
                      return called(type, {rest(cast->operand)});
                    }
                    return nullptr;
                  },
                  {},
                  {}});
}

/// The same expression for another part of the text, where errors about it are shown.
ExpressionPtr at_place(const ExpressionPtr& expression, SourceSpan span) {
  return std::make_shared<const Expression>(Expression{expression->of, span});
}

bool is_constant(const ExpressionPtr& expression) {
  return std::holds_alternative<NumberLiteral>(expression->of) ||
         std::holds_alternative<StringLiteral>(expression->of) ||
         std::holds_alternative<NullLiteral>(expression->of) ||
         std::holds_alternative<BooleanLiteral>(expression->of) ||
         std::holds_alternative<Star>(expression->of);
}

/// True for a query over scalars: what it names of the query around are columns of the rows.
bool is_query_of_rows(const ExpressionPtr& expression, const Scope& scope) {
  const auto* const value = std::get_if<ScalarQuery>(&expression->of);
  const auto* const exists = std::get_if<Exists>(&expression->of);
  return (value != nullptr && !scope.find_query(value->query)) ||
         (exists != nullptr && !scope.find_query(exists->query));
}

/// Gives the keys of ORDER BY that are columns of tensors, wherever they stand, the ranks of these.
class RankedOrder {
 public:
  RankedOrder(const Relation& rows, BoundSelect& select) : rows_(rows) {
    take(select.order);
    for_each_result(select, [&](ExpressionPtr& expression) {
      expression =
          rewrite(expression, {[&](const ExpressionPtr& part) { return of_call(part); }, {}, {}});
    });
  }

  /// The columns whose ranks are wanted.
  std::vector<size_t> columns() const { return {columns_.begin(), columns_.end()}; }

 private:
  ExpressionPtr of_call(const ExpressionPtr& expression) {
    const auto* const call = std::get_if<Call>(&expression->of);
    if (call == nullptr || (call->order.empty() && !call->over)) {
      return nullptr;
    }
    Call other = *call;
    take(other.order);
    if (other.over) {
      Window window = *other.over;
      const size_t num_columns = columns_.size();
      take(window.order);
      if (columns_.size() > num_columns && window.frame &&
          window.frame->unit == WindowFrame::Unit::range &&
          (window.frame->start.offset || window.frame->end.offset)) {
        at(expression->span, [] {
          throw_error(ErrorKind::user, "tensors have an order and no distances, as RANGE asks for");
        });
      }
      other.over = std::make_shared<const Window>(std::move(window));
    }
    return make_expression(std::move(other), expression->span);
  }

  void take(std::vector<OrderKey>& keys) {
    for (OrderKey& key : keys) {
      const auto* const reference = std::get_if<ColumnReference>(&key.expression->of);
      for (size_t column = 0; reference != nullptr && column < rows_.columns.size(); ++column) {
        const RelationColumn& found = rows_.columns[column];
        if (found.tensor && found.key == reference->column.text) {
          columns_.insert(column);
          key.expression =
              make_expression(ColumnReference{Name{kFirstPart, {}}, Name{rank_of(found.key), {}}},
                              key.expression->span);
          break;
        }
      }
    }
  }

  const Relation& rows_;
  std::set<size_t> columns_;
};

}  // namespace

std::string identity_of(const ExpressionPtr& expression, const Scope& scope) {
  return sqlite_text(*sayable(expression, scope));
}

ExpressionPtr FirstPart::column_of(const ExpressionPtr& expression) {
  if (is_constant(expression)) {
    return expression;
  }
  // Random numbers are drawn anew wherever they are asked for.
  const std::string identity = draws(expression, compiler_.vocabulary().tensor_functions)
                                   ? fmt::format("draw {}", targets_.size())
                                   : identity_of(expression, scope_);
  ExpressionPtr& column = columns_[identity];
  if (!column) {
    const Name name{fmt::format("p{}", targets_.size() + 1), {}};
    targets_.push_back({expression, name});
    column = make_expression(ColumnReference{Name{kFirstPart, {}}, name});
  }
  return at_place(column, expression->span);
}

ExpressionPtr FirstPart::over_columns(const ExpressionPtr& expression,
                                      const ExpressionSet& given_columns) {
  return rewrite(expression, {[&](const ExpressionPtr& part) -> ExpressionPtr {
                                const auto* const call = std::get_if<Call>(&part->of);
                                const auto known = columns_.find(identity_of(part, scope_));
                                if (known != columns_.end() && !is_constant(part)) {
                                  return at_place(known->second, part->span);
                                }
                                if (is_query_of_rows(part, scope_)) {
                                  return column_of(part);
                                }
                                if (call != nullptr &&
                                    (call->is_distinct || builds_tensors(call->function.text) ||
                                     given_columns.count(part) != 0) &&
                                    !call->arguments.empty() && !is_constant(call->arguments[0])) {
                                  return of_columns(*call, part->span);
                                }
                                return std::holds_alternative<ColumnReference>(part->of)
                                           ? column_of(part)
                                           : nullptr;
                              },
                              [&](const SelectPtr& query) { return asking_with_columns(query); },
                              {}});
}

ExpressionPtr FirstPart::of_columns(const Call& call, SourceSpan span) {
  Call other = call;
  for (ExpressionPtr& argument : other.arguments) {
    argument = column_of(argument);
  }
  for (OrderKey& key : other.order) {
    key.expression = column_of(key.expression);
  }
  if (other.filter) {
    other.filter = column_of(
        make_expression(Test{Test::Kind::true_, false, other.filter, nullptr}, other.filter->span));
  }
  if (other.is_distinct) {
    compare(other.arguments[0]);
    if (other.order.empty() && builds_tensors(other.function.text)) {
      other.order.push_back({other.arguments[0], false, std::nullopt});  // as PostgreSQL has it
    }
  }
  return make_expression(std::move(other), span);
}

SelectPtr FirstPart::asking_with_columns(const SelectPtr& query) {
  const RelationPtr rows = scope_.find_query(query);
  if (!rows || !query->where) {
    return query;
  }
  Select other = *query;
  Logical conditions = std::get<Logical>(query->where->of);  // own values equal to those around
  for (ExpressionPtr& condition : conditions.operands) {
    Test equal = std::get<Test>(condition->of);
    equal.other = column_of(equal.other);
    condition = make_expression(std::move(equal));
  }
  other.where = make_expression(std::move(conditions));
  auto made = std::make_shared<const Select>(std::move(other));
  scope_.add_query(made, rows);
  if (const auto set = scope_.sets().find(query); set != scope_.sets().end()) {
    scope_.add_set(made, set->second);
  }
  return made;
}

void FirstPart::compare(const ExpressionPtr& column) {
  if (const auto* const found = std::get_if<ColumnReference>(&column->of)) {
    compared_.insert(found->column.text);
  }
}

BoundSelect FirstPart::within_bound(const BoundSelect& over, BoundSelect within) const {
  const std::optional<RankBound> bound = std::exchange(within.rank_bound, std::nullopt);
  if (!bound || within.is_grouped) {
    return within;
  }
  const std::optional<RankedWindow> window = ranked_window(over, *bound, targets_);
  std::optional<BoundSelect> top =
      window ? with_top_rows(within, *window, compiler_) : std::nullopt;
  return top ? std::move(*top) : std::move(within);
}

BoundSelect FirstPart::stand_before(BoundSelect over, BoundSelect within) {
  if (targets_.empty()) {
    targets_.push_back({make_expression(NumberLiteral{"1", true}), Name{"p0", {}}});
  }
  within.targets = targets_;
  RelationPtr rows = compile_bound(within_bound(over, std::move(within)), compiler_);
  std::vector<size_t> compared;
  for (size_t column = 0; column < rows->columns.size(); ++column) {
    if (rows->columns[column].tensor && compared_.count(rows->columns[column].key) != 0) {
      compared.push_back(column);
    }
  }
  if (!compared.empty()) {
    rows = with_equal_rows(rows, compared, compiler_);
  }
  const std::vector<size_t> ranked = RankedOrder(*rows, over).columns();
  if (!ranked.empty()) {
    rows = with_ranks(rows, ranked, compiler_);
  }
  const BoundSelect table = select_from(rows, kFirstPart);
  over.from = table.from;
  over.scope = table.scope;
  over.scope.add_queries_of(scope_);
  for (const ExpressionPtr& key : over.group_by) {
    if (const auto* const column = std::get_if<ColumnReference>(&key->of)) {
      over.constant_in_groups.insert(column->column.text);
    }
  }
  for (const Target& target : targets_) {
    if (is_outer_tensor(target.expression, scope_)) {
      over.constant_in_groups.insert(target.alias->text);
    }
  }
  return over;
}

void read_from(const RelationPtr& rows, BoundSelect& select) {
  const BoundSelect table = select_from(rows, kFirstPart);
  const Scope old = std::exchange(select.scope, table.scope);
  select.from = table.from;
  select.scope.add_queries_of(old);
}

void build_tensors(BoundSelect& select, QueryCompiler& compiler) {
  const RelationPtr rows = select.scope.entries().front().relation;
  std::vector<std::string> keys;
  for (const ExpressionPtr& key : select.group_by) {
    keys.push_back(sqlite_text(*key));
  }
  std::vector<JoinedColumn> built;
  for_each_result(select, [&](ExpressionPtr& expression) {
    expression = rewrite(expression,
                         {[&](const ExpressionPtr& part) -> ExpressionPtr {
                            const auto* const call = std::get_if<Call>(&part->of);
                            if (call == nullptr || !builds_tensors(call->function.text)) {
                              return nullptr;
                            }
                            const std::string name = fmt::format("built{}", built.size() + 1);
                            at(part->span, [&] {
                              built.push_back(built_tensors(*call, *rows, keys, name, compiler));
                            });
                            select.constant_in_groups.insert(name);
                            return make_expression(
                                ColumnReference{Name{kFirstPart, {}}, Name{name, {}}}, part->span);
                          },
                          {},
                          {}});
  });
  if (built.empty()) {
    return;
  }
  read_from(with_joined_columns(rows, built, compiler), select);
}

}  // namespace tessera::sql
