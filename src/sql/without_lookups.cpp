#include "sql/without_lookups.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "database/row_order.h"
#include "frontend/sql/rewrite.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

ExpressionPtr number(int64_t value) {
  return make_expression(NumberLiteral{std::to_string(value), true});
}

/// Tables that are joined by commas alone, their conditions beside the others; nothing where there
/// is another join.
bool flatten(const FromItemPtr& item, KeyRows& flat) {
  const auto* const join = std::get_if<JoinReference>(&item->of);
  if (join == nullptr) {
    flat.from.push_back(item);
    return std::holds_alternative<TableReference>(item->of);
  }
  const bool is_plain =
      (join->kind == JoinReference::Kind::inner || join->kind == JoinReference::Kind::cross) &&
      !join->is_natural && join->using_columns.empty();
  if (join->condition) {
    flat.conjuncts.push_back(join->condition);
  }
  return is_plain && flatten(join->left, flat) && flatten(join->right, flat);
}

/// One table of a query that may be left out.
class Lookup {
 public:
  Lookup(const Scope::Entry& entry, const Scope& scope, database::Connection& connection)
      : alias_(entry.alias), relation_(*entry.relation), scope_(scope), connection_(connection) {}

  /// The query without the table; nothing where it is needed. Asks the catalog only about tables
  /// that a condition may look up: versions of a recursion join thousands of others.
  std::optional<KeyRows> left_out(const KeyRows& rows) {
    for (size_t place = 0; place < rows.conjuncts.size(); ++place) {
      const ExpressionPtr key = looked_up(rows.conjuncts[place]);
      if (!key || orders().empty()) {
        continue;
      }
      KeyRows left = rows;
      left.conjuncts.erase(left.conjuncts.begin() + static_cast<std::ptrdiff_t>(place));
      std::erase_if(left.from, [&](const FromItemPtr& item) { return name_of(*item) == alias_; });
      if (replace(left, key)) {
        return left;
      }
    }
    return std::nullopt;
  }

  static std::string name_of(const FromItem& item) {
    const auto* const table = std::get_if<TableReference>(&item.of);
    return item.alias ? item.alias->text : table != nullptr ? table->table.text : "";
  }

 private:
  /// Whether a name is one of this table's columns.
  bool is_own(const ColumnReference& column) const {
    if (column.table) {
      return column.table->text == alias_;
    }
    return std::any_of(relation_.columns.begin(), relation_.columns.end(),
                       [&](const RelationColumn& own) { return own.key == column.column.text; });
  }
  bool is_rowid(const ColumnReference& column) {
    if (!is_own(column)) {
      return false;
    }
    if (!rowid_) {
      rowid_ = database::rowid_column(connection_, relation_.table).value_or("rowid");
    }
    return column.column.text == "rowid" || column.column.text == *rowid_;
  }
  const std::map<std::string, database::RowOrder>& orders() {
    if (!has_orders_) {
      orders_ = database::row_orders(connection_, relation_.table);
      has_orders_ = true;
    }
    return orders_;
  }

  /// Whether all values of an expression over other tables are whole numbers, or too large for a
  /// rowid.
  bool is_whole(const ExpressionPtr& expression) const {
    if (const auto* const column = std::get_if<ColumnReference>(&expression->of)) {
      return !is_own(*column) && scope_.find_scalar(*column) == database::ScalarType::integer;
    }
    if (const auto* const literal = std::get_if<NumberLiteral>(&expression->of)) {
      return literal->is_integer;
    }
    const auto* const operation = std::get_if<Operation>(&expression->of);
    return operation != nullptr &&
           (operation->symbol == "+" || operation->symbol == "-" || operation->symbol == "*") &&
           std::all_of(operation->operands.begin(), operation->operands.end(),
                       [this](const ExpressionPtr& operand) { return is_whole(operand); });
  }

  /// What the rowid is to be equal to; null where a condition says something else.
  ExpressionPtr looked_up(const ExpressionPtr& condition) {
    const auto* const equality = std::get_if<Operation>(&condition->of);
    if (equality == nullptr || equality->symbol != "=" || equality->operands.size() != 2) {
      return nullptr;
    }
    for (const size_t side : {0U, 1U}) {
      const auto* const column = std::get_if<ColumnReference>(&equality->operands[side]->of);
      const ExpressionPtr& other = equality->operands[1 - side];
      if (column != nullptr && is_rowid(*column) && is_whole(other)) {
        return other;
      }
    }
    return nullptr;
  }

  /// Says all that is said of the table by the key; whether that is possible.
  bool replace(KeyRows& rows, const ExpressionPtr& key) {
    bool is_possible = true;
    const database::RowOrder& order = orders().begin()->second;  // all have the same rowids
    const auto over_key = [&](const ExpressionPtr& part) -> ExpressionPtr {
      const auto* const in = std::get_if<In>(&part->of);
      if (std::holds_alternative<ScalarQuery>(part->of) ||
          std::holds_alternative<Exists>(part->of) || std::holds_alternative<Star>(part->of) ||
          (in != nullptr && in->query)) {
        is_possible = false;  // which may name its columns
        return part;
      }
      const auto* const column = std::get_if<ColumnReference>(&part->of);
      if (column == nullptr || !is_own(*column)) {
        return nullptr;
      }
      if (is_rowid(*column)) {
        return key;
      }
      const auto found = orders().find(column->column.text);
      if (found == orders().end()) {
        is_possible = false;
        return part;
      }
      const int64_t step = found->second.first_rowid - found->second.first_row;
      return step == 0 ? key
                       : make_expression(Operation{step > 0 ? "-" : "+",
                                                   {key, number(step > 0 ? step : -step)}});
    };
    const Rewrites rewrites{over_key, {}, {}};
    for (ExpressionPtr& condition : rows.conjuncts) {
      condition = rewrite(condition, rewrites);
    }
    for (Target& target : rows.targets) {
      target.expression = rewrite(target.expression, rewrites);
    }
    if (!is_possible || order.first_rowid < 0) {
      return false;
    }
    rows.conjuncts.push_back(make_expression(Between{
        false, key, number(order.first_rowid), number(order.first_rowid + order.num_rows - 1)}));
    return true;
  }

  std::string alias_;
  const Relation& relation_;
  const Scope& scope_;
  database::Connection& connection_;
  std::map<std::string, database::RowOrder> orders_;  // by column, once has_orders_
  bool has_orders_ = false;
  std::optional<std::string> rowid_;  // the column that is it, once it was asked for
};

}  // namespace

std::optional<KeyRows> with_flat_joins(const KeyRows& rows) {
  KeyRows flat{{}, rows.conjuncts, rows.targets, false};
  const bool is_flat = std::all_of(rows.from.begin(), rows.from.end(),
                                   [&](const FromItemPtr& item) { return flatten(item, flat); });
  return is_flat ? std::optional(std::move(flat)) : std::nullopt;
}

KeyRows without_lookups(KeyRows rows, const Scope& scope, database::Connection& connection) {
  std::optional<KeyRows> flat = with_flat_joins(rows);
  for (const Scope::Entry& entry : scope.entries()) {
    const bool is_stored = entry.relation->owned == nullptr && entry.relation->has_tensors();
    if (!flat || !is_stored || flat->from.size() < 2) {
      continue;
    }
    if (std::optional<KeyRows> left = Lookup(entry, scope, connection).left_out(*flat)) {
      flat = std::move(left);
      flat->has_left_out = true;
      rows = *flat;
    }
  }
  return rows;
}

}  // namespace tessera::sql
