#include "database/row_order.h"

#include <fmt/format.h>

namespace tessera::database {

namespace {

/// Programs that know no such table would not keep it true, so they may not write what has one.
constexpr const char* kMake =
    "CREATE TABLE IF NOT EXISTS tessera_row_orders(column INTEGER PRIMARY KEY, first_rowid "
    "INTEGER, first_row INTEGER, num_rows INTEGER) STRICT; "
    "UPDATE tessera_settings SET value = 2 WHERE name = 'format' AND value < 2";

bool has_orders(Connection& connection) {
  return connection.integer(
             "SELECT count(*) FROM sqlite_master WHERE name = 'tessera_row_orders'") != 0;
}

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char character : name) {
    text.append(character == '"' ? 2 : 1, character);
  }
  return text + "\"";
}

}  // namespace

std::map<std::string, RowOrder> row_orders(Connection& connection, const std::string& table) {
  std::map<std::string, RowOrder> orders;
  if (!has_orders(connection)) {
    return orders;
  }
  Statement rows = connection.prepare(
      "SELECT name, first_rowid, first_row, num_rows FROM tessera_columns JOIN tessera_row_orders "
      "ON id = column WHERE relation = ?");
  rows.bind(0, table);
  while (rows.step()) {
    orders[rows.text(0)] = {rows.integer(1), rows.integer(2), rows.integer(3)};
  }
  return orders;
}

RowOrderOfNewRows::RowOrderOfNewRows(Connection& connection, const Table& table)
    : connection_(connection),
      table_(table),
      was_empty_(connection.integer(
                     fmt::format("SELECT EXISTS (SELECT 1 FROM {})", quoted(table.name))) == 0),
      before_(row_orders(connection, table.name)) {}

std::optional<RowOrder> RowOrderOfNewRows::order_with(const Column& column, int64_t num_new) const {
  const auto known = before_.find(column.name);
  if (!was_empty_ && known == before_.end()) {
    return std::nullopt;
  }
  const std::string table = quoted(table_.name);
  const std::string name = quoted(column.name);
  const int64_t first_rowid = connection_.integer("SELECT min(rowid) FROM " + table);
  RowOrder order{first_rowid, 0, num_new};
  if (was_empty_) {
    order.first_row = connection_.integer(
        fmt::format("SELECT {} FROM {} WHERE rowid = {}", name, table, first_rowid));
  } else {
    order = known->second;
    order.num_rows += num_new;
  }
  const int64_t behind = order.first_rowid + order.num_rows;
  const bool is_dense = order.first_rowid == first_rowid &&
                        connection_.integer("SELECT max(rowid) FROM " + table) == behind - 1;
  const bool is_in_order =
      is_dense && connection_.integer(fmt::format(
                      "SELECT EXISTS (SELECT 1 FROM {} WHERE rowid >= {} AND {} IS NOT rowid - {} "
                      "+ {})",
                      table, behind - num_new, name, order.first_rowid, order.first_row)) == 0;
  return is_in_order ? std::optional(order) : std::nullopt;
}

void RowOrderOfNewRows::note(int64_t num_new) {
  if (num_new == 0) {
    return;
  }
  for (const Column& column : table_.columns) {
    if (tensor_of(column.type) == nullptr) {
      continue;
    }
    if (const std::optional<RowOrder> order = order_with(column, num_new)) {
      connection_.execute(kMake);
      connection_.execute(
          fmt::format("INSERT OR REPLACE INTO tessera_row_orders VALUES ({}, {}, {}, {})",
                      column.id, order->first_rowid, order->first_row, order->num_rows));
    } else if (before_.count(column.name) != 0) {
      connection_.execute(
          fmt::format("DELETE FROM tessera_row_orders WHERE column = {}", column.id));
    }
  }
}

void forget_row_orders(Connection& connection, const Table& table) {
  if (!has_orders(connection)) {
    return;
  }
  for (const Column& column : table.columns) {
    connection.execute(fmt::format("DELETE FROM tessera_row_orders WHERE column = {}", column.id));
  }
}

std::optional<std::string> rowid_column(Connection& connection, const std::string& table) {
  Statement keys =
      connection.prepare("SELECT name, upper(type) FROM pragma_table_info(?) WHERE pk > 0");
  keys.bind(0, table);
  if (!keys.step()) {
    return std::nullopt;
  }
  const std::string name = keys.text(0);
  const bool is_integer = keys.text(1) == "INTEGER";
  return is_integer && !keys.step() ? std::optional(name) : std::nullopt;
}

}  // namespace tessera::database
