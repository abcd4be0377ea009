#include "sql/rank_bounds.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/overload.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/query.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

std::optional<RankFunction> rank_function(const Call& call) {
  static const std::map<std::string, RankFunction> functions{
      {"row_number", RankFunction::row_number},
      {"rank", RankFunction::rank},
      {"dense_rank", RankFunction::dense_rank}};
  const auto found = functions.find(call.function.text);
  return found == functions.end() || !call.over || call.filter ? std::nullopt
                                                               : std::optional(found->second);
}

/// Returns the partitions and the order of a window as text.
std::string text_of_window(const Window& window) {
  Call call{Name{"rank", {}}};
  Window other = window;
  other.frame = std::nullopt;
  call.over = std::make_shared<const Window>(std::move(other));
  return sqlite_text(*make_expression(std::move(call)));
}

/// The expression of a target that a key of a window names; null for a constant.
ExpressionPtr meant_by_key(const ExpressionPtr& key, const std::vector<Target>& targets) {
  const auto* const column = std::get_if<ColumnReference>(&key->of);
  for (const Target& target : targets) {
    if (column != nullptr && target.alias->text == column->column.text) {
      return target.expression;
    }
  }
  return nullptr;
}

/// The value of an expression of whole numbers, as `5 + 5`; nothing for another one.
std::optional<int64_t> whole_number(const ExpressionPtr& expression) {
  if (const auto* const number = std::get_if<NumberLiteral>(&expression->of)) {
    return number->is_integer ? std::optional<int64_t>(std::stoll(number->text)) : std::nullopt;
  }
  const auto* const operation = std::get_if<Operation>(&expression->of);
  const bool is_sum = operation != nullptr && operation->symbol == "+";
  if (!is_sum && (operation == nullptr || operation->symbol != "-")) {
    return std::nullopt;
  }
  int64_t value = 0;
  for (size_t place = 0; place < operation->operands.size(); ++place) {
    const std::optional<int64_t> operand = whole_number(operation->operands[place]);
    const bool is_added = is_sum || (place == 0 && operation->operands.size() > 1);
    if (!operand || (is_added ? __builtin_add_overflow(value, *operand, &value)
                              : __builtin_sub_overflow(value, *operand, &value))) {
      return std::nullopt;
    }
  }
  return value;
}

/// A column and the most that a condition leaves of it.
struct ColumnBound {
  ColumnReference column;
  int64_t most;
};

std::optional<ColumnBound> bound_by(const ExpressionPtr& column, const ExpressionPtr& most,
                                    bool is_below) {
  const auto* const reference = std::get_if<ColumnReference>(&column->of);
  const std::optional<int64_t> number = whole_number(most);
  return reference == nullptr || !number || *number == INT64_MIN
             ? std::nullopt
             : std::optional(ColumnBound{*reference, *number - (is_below ? 1 : 0)});
}

/// The bound that a condition is: `r <= 3`, `r < 4`, `3 >= r`, `r = 3`, `r BETWEEN 1 AND 3`.
std::optional<ColumnBound> bound_in(const ExpressionPtr& condition) {
  if (const auto* const between = std::get_if<Between>(&condition->of)) {
    return between->is_negated ? std::nullopt : bound_by(between->operand, between->high, false);
  }
  const auto* const operation = std::get_if<Operation>(&condition->of);
  if (operation == nullptr || operation->operands.size() != 2) {
    return std::nullopt;
  }
  const std::string& symbol = operation->symbol;
  const ExpressionPtr& left = operation->operands[0];
  const ExpressionPtr& right = operation->operands[1];
  return symbol == "<=" || symbol == "=" ? bound_by(left, right, false)
         : symbol == "<"                 ? bound_by(left, right, true)
         : symbol == ">="                ? bound_by(right, left, false)
         : symbol == ">"                 ? bound_by(right, left, true)
                                         : std::nullopt;
}

bool has_star(const Select& query) {
  return std::any_of(query.targets.begin(), query.targets.end(), [](const Target& target) {
    return std::holds_alternative<Star>(target.expression->of);
  });
}

/// The rank that a query of FROM gives as this column; nothing if that is something else.
std::optional<std::string> rank_named(const Select& query, const FromItem& item,
                                      const ColumnReference& column) {
  const bool is_its = !column.table || (item.alias && item.alias->text == column.table->text);
  if (!is_its || (!item.column_aliases.empty() && has_star(query))) {
    return std::nullopt;
  }
  for (size_t place = 0; place < query.targets.size(); ++place) {
    const Target& target = query.targets[place];
    const auto* const call = std::get_if<Call>(&target.expression->of);
    const std::string name =
        place < item.column_aliases.size() ? item.column_aliases[place].text : name_of(target);
    if (call != nullptr && rank_function(*call) && name == column.column.text) {
      return name_of(target);
    }
  }
  return std::nullopt;
}

/// A query of FROM with the bound that a SELECT has on one of its ranks; the same item without.
FromItemPtr with_bound(const FromItemPtr& item, const Select& select) {
  const auto* const within = std::get_if<QueryReference>(&item->of);
  if (within == nullptr || within->is_lateral || within->query->limit || within->query->offset ||
      within->query->operation != Select::SetOperation::none) {
    return item;
  }
  Select query = *within->query;
  std::vector<ExpressionPtr> conditions;
  add_conjuncts(select.where, conditions);
  for (const ExpressionPtr& condition : conditions) {
    const std::optional<ColumnBound> bound = bound_in(condition);
    const std::optional<std::string> rank =
        bound ? rank_named(query, *item, bound->column) : std::nullopt;
    if (rank &&
        (!query.bound || (query.bound->result == *rank && query.bound->most > bound->most))) {
      query.bound = ResultBound{*rank, bound->most};
    }
  }
  if (!query.bound) {
    return item;
  }
  FromItem other = *item;
  other.of = QueryReference{std::make_shared<const Select>(std::move(query)), false};
  return std::make_shared<const FromItem>(std::move(other));
}

}  // namespace

FromItemPtr with_rank_bounds(const FromItemPtr& item, const Select& select) {
  const auto* const join = std::get_if<JoinReference>(&item->of);
  if (join == nullptr) {
    return with_bound(item, select);
  }
  using Kind = JoinReference::Kind;
  JoinReference other = *join;
  if (join->kind != Kind::right && join->kind != Kind::full) {
    other.left = with_rank_bounds(join->left, select);
  }
  if (join->kind != Kind::left && join->kind != Kind::full) {
    other.right = with_rank_bounds(join->right, select);
  }
  FromItem whole = *item;
  whole.of = std::move(other);
  return std::make_shared<const FromItem>(std::move(whole));
}

namespace {

bool is_table(const TableReference& table, const std::string& name) {
  return table.version.empty() && !table.is_union && table.table.text == name;
}

/// An item of FROM with the query of a table in the table's place.
FromItemPtr with_query(const FromItemPtr& item, const CommonTable& table) {
  const Rewrites rewrites{
      {}, {}, [&](const FromItemPtr& part) -> FromItemPtr {
        const auto* const reference = std::get_if<TableReference>(&part->of);
        if (reference == nullptr || !is_table(*reference, table.name.text)) {
          return nullptr;
        }
        FromItem other = *part;
        other.of = QueryReference{table.query, false};
        other.alias = part->alias ? part->alias : table.name;
        std::copy(table.columns.begin() + static_cast<std::ptrdiff_t>(std::min(
                                              table.columns.size(), part->column_aliases.size())),
                  table.columns.end(), std::back_inserter(other.column_aliases));
        return std::make_shared<const FromItem>(std::move(other));
      }};
  return rewrite(item, rewrites);
}

int64_t num_readers(const SelectPtr& query, const std::string& table) {
  int64_t number = 0;
  for_each_table(query, [&](const TableReference& reference, SourceSpan) {
    number += reference.table.text == table ? 1 : 0;
  });
  return number;
}

/// Counts the queries of an item of FROM that a SELECT has bounds on.
int64_t num_bounds(const FromItemPtr& item, const Select& select) {
  if (const auto* const join = std::get_if<JoinReference>(&item->of)) {
    return num_bounds(join->left, select) + num_bounds(join->right, select);
  }
  const FromItemPtr bounded = with_bound(item, select);
  const auto* const within = std::get_if<QueryReference>(&bounded->of);
  return within != nullptr && within->query->bound ? 1 : 0;
}

/// Puts a table of WITH in the place of the item of FROM that reads it, if that gives it a bound.
bool put_in_place(const CommonTable& table, Select& select) {
  for (FromItemPtr& item : select.from) {
    const FromItemPtr with_table = with_query(item, table);
    if (num_bounds(with_table, select) > num_bounds(item, select)) {
      item = with_table;
      return true;
    }
  }
  return false;
}

}  // namespace

SelectPtr with_bounded_tables(const SelectPtr& query) {
  if (query->is_recursive || !query->where) {
    return query;
  }
  Select other = *query;
  for (size_t place = query->with.size(); place-- > 0;) {
    const CommonTable& table = query->with[place];
    // A table that WITH defines later would hide one of that name.
    const bool is_hidden = std::any_of(
        query->with.begin() + static_cast<std::ptrdiff_t>(place) + 1, query->with.end(),
        [&](const CommonTable& later) { return num_readers(table.query, later.name.text) > 0; });
    if (!is_hidden && num_readers(query, table.name.text) == 1 && put_in_place(table, other)) {
      other.with.erase(other.with.begin() + static_cast<std::ptrdiff_t>(place));
    }
  }
  return std::make_shared<const Select>(std::move(other));
}

std::optional<RankBound> rank_bound_of(const Select& select, const std::vector<Target>& targets) {
  std::optional<RankBound> bound;
  for (size_t place = 0; select.bound && place < targets.size(); ++place) {
    if (name_of(targets[place]) == select.bound->result) {
      if (bound) {  // of two columns with one name another may be meant
        return std::nullopt;
      }
      bound = RankBound{place, select.bound->most};
    }
  }
  return bound;
}

std::optional<RankedWindow> ranked_window(const BoundSelect& over, const RankBound& bound,
                                          const std::vector<Target>& targets) {
  const auto* const call = std::get_if<Call>(&over.targets[bound.target].expression->of);
  const std::optional<RankFunction> function =
      call == nullptr ? std::nullopt : rank_function(*call);
  bool is_only_window = function.has_value();
  for_each_result(over, [&](const ExpressionPtr& result) {
    for_each(result, [&](const ExpressionPtr& part) {
      const auto* const other = std::get_if<Call>(&part->of);
      is_only_window =
          is_only_window &&
          (other == nullptr || !other->over ||
           (rank_function(*other) && text_of_window(*other->over) == text_of_window(*call->over)));
      return is_only_window;
    });
  });
  if (!is_only_window) {
    return std::nullopt;
  }
  RankedWindow window{*function, bound.most, {}, {}};
  for (const ExpressionPtr& key : call->over->partition) {
    if (const ExpressionPtr meant = meant_by_key(key, targets)) {
      window.partition.push_back(meant);
    }
  }
  for (OrderKey key : call->over->order) {
    key.expression = meant_by_key(key.expression, targets);
    if (key.expression) {
      window.order.push_back(std::move(key));
    }
  }
  return window;
}

}  // namespace tessera::sql
