#include "database/row_order.h"

#include <fmt/format.h>

namespace tessera::database {

namespace {

/// Makes the table and raises the format: older programs would not keep it up to date, so they may
/// not write a file that has it.
constexpr const char* kMakeRowOrders =
    "CREATE TABLE IF NOT EXISTS tessera_row_orders(column INTEGER PRIMARY KEY, first_rowid "
    "INTEGER, first_row INTEGER, num_rows INTEGER) STRICT; "
    "UPDATE tessera_settings SET value = 2 WHERE name = 'format' AND value < 2";

bool has_orders(Connection& connection) {
  return connection.declared_type("tessera_row_orders", "column").has_value();
}

}  // namespace

std::map<std::string, RowOrder> row_orders(Connection& connection, const std::string& table) {
  std::map<std::string, RowOrder> orders;
  if (!has_orders(connection)) {
    return orders;
  }
  Statement rows = connection.prepare_once(
      "SELECT name, first_rowid, first_row, num_rows FROM tessera_columns JOIN tessera_row_orders "
      "ON id = column WHERE relation = ?");
  rows.bind(0, table);
  while (rows.step()) {
    orders[rows.text(0)] = {rows.integer(1), rows.integer(2), rows.integer(3)};
  }
  return orders;
}

namespace {

/// True if the tensors of rows from a rowid on are where an order says.
bool are_in_order(Connection& connection, const Table& table, const Column& column,
                  const RowOrder& order, int64_t from_rowid) {
  return connection.integer(fmt::format(
             "SELECT EXISTS (SELECT 1 FROM {} WHERE rowid >= {} AND {} IS NOT rowid - {} + {})",
             quoted_name(table.name), from_rowid, quoted_name(column.name), order.first_rowid,
             order.first_row)) == 0;
}

void keep(Connection& connection, const Column& column, const RowOrder& order) {
  connection.execute(kMakeRowOrders);
  connection.execute(
      fmt::format("INSERT OR REPLACE INTO tessera_row_orders VALUES ({}, {}, {}, {})", column.id,
                  order.first_rowid, order.first_row, order.num_rows));
}

void forget(Connection& connection, const Column& column) {
  connection.execute(fmt::format("DELETE FROM tessera_row_orders WHERE column = {}", column.id));
}

/// Returns the order of all rows; nothing if they have none.
std::optional<RowOrder> order_of(Connection& connection, const Table& table, const Column& column) {
  const std::string rows = quoted_name(table.name);
  Statement ends = connection.prepare(
      fmt::format("SELECT min(rowid), (SELECT max(rowid) FROM {0}) FROM {0}", rows));
  if (!ends.step() || ends.is_null(0)) {
    return std::nullopt;
  }
  RowOrder order{ends.integer(0), 0, ends.integer(1) - ends.integer(0) + 1};
  Statement first = connection.prepare(fmt::format(
      "SELECT {} FROM {} WHERE rowid = {}", quoted_name(column.name), rows, order.first_rowid));
  if (!first.step() || first.is_null(0)) {
    return std::nullopt;
  }
  order.first_row = first.integer(0);
  // Counted last, because it takes longest: an early row out of order is found soon.
  const bool holds = are_in_order(connection, table, column, order, order.first_rowid) &&
                     connection.integer("SELECT count(*) FROM " + rows) == order.num_rows;
  return holds ? std::optional(order) : std::nullopt;
}

}  // namespace

void look_up_row_orders(Connection& connection, const Table& table,
                        const std::set<std::string>& changed) {
  const std::map<std::string, RowOrder> before = row_orders(connection, table.name);
  for (const Column& column : table.columns) {
    const bool was_known = before.count(column.name) != 0;
    if (tensor_of(column.type) == nullptr || (!was_known && changed.count(column.name) == 0)) {
      continue;
    }
    if (const std::optional<RowOrder> order = order_of(connection, table, column)) {
      keep(connection, column, *order);
    } else if (was_known) {
      forget(connection, column);
    }
  }
}

RowOrderOfNewRows::RowOrderOfNewRows(Connection& connection, const Table& table)
    : connection_(connection),
      table_(table),
      was_empty_(connection.integer(fmt::format("SELECT EXISTS (SELECT 1 FROM {})",
                                                quoted_name(table.name))) == 0),
      before_(row_orders(connection, table.name)) {}

std::optional<RowOrder> RowOrderOfNewRows::order_with(const Column& column, int64_t num_new) const {
  const auto known = before_.find(column.name);
  if (!was_empty_ && known == before_.end()) {
    return std::nullopt;
  }
  const std::string table = quoted_name(table_.name);
  const std::string name = quoted_name(column.name);
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
      is_dense && are_in_order(connection_, table_, column, order, behind - num_new);
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
      keep(connection_, column, *order);
    } else if (before_.count(column.name) != 0) {
      forget(connection_, column);
    }
  }
}

void forget_row_orders(Connection& connection, const Table& table) {
  if (!has_orders(connection)) {
    return;
  }
  for (const Column& column : table.columns) {
    forget(connection, column);
  }
}

std::optional<std::string> rowid_column(Connection& connection, const std::string& table) {
  Statement keys =
      connection.prepare_once("SELECT name, upper(type) FROM pragma_table_info(?) WHERE pk > 0");
  keys.bind(0, table);
  if (!keys.step()) {
    return std::nullopt;
  }
  const std::string name = keys.text(0);
  const bool is_integer = keys.text(1) == "INTEGER";
  return is_integer && !keys.step() ? std::optional(name) : std::nullopt;
}

}  // namespace tessera::database
