#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "database/catalog.h"

namespace tessera::database {

/// The order of a table's rows, if they have a column's tensors in order without gaps: the rowids
/// [first_rowid, first_rowid + num_rows) have the stored rows [first_row, …), and there are no
/// others. The row of a tensor is then arithmetic on its rowid.
struct RowOrder {
  int64_t first_rowid = 0;
  int64_t first_row = 0;
  int64_t num_rows = 0;
};

/// Returns the known orders of a table's columns, by name.
std::map<std::string, RowOrder> row_orders(Connection& connection, const std::string& table);

/// An update of a table's known orders: constructed before rows are added, it notes them
/// afterwards.
class RowOrderOfNewRows {
 public:
  /// The connection outlives it.
  RowOrderOfNewRows(Connection& connection, const Table& table);
  /// Notes that one statement added `num_new` rows to the table.
  void note(int64_t num_new);

 private:
  std::optional<RowOrder> order_with(const Column& column, int64_t num_new) const;

  Connection& connection_;
  const Table& table_;
  bool was_empty_;
  std::map<std::string, RowOrder> before_;
};

/// Recomputes the order after rows were removed, or these columns have other tensors: it checks the
/// columns that were in order or changed, up to the first row out of order.
void look_up_row_orders(Connection& connection, const Table& table,
                        const std::set<std::string>& changed);

/// Forgets the orders of all of a table's columns.
void forget_row_orders(Connection& connection, const Table& table);

/// Returns the column of whole numbers that is an alias of the rowid; nothing if there is none.
std::optional<std::string> rowid_column(Connection& connection, const std::string& table);

}  // namespace tessera::database
