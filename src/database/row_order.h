#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "database/catalog.h"

namespace tessera::database {

/// That the rows of a table have a column's tensors in their order, none left out: those with the
/// rowids [first_rowid, first_rowid + num_rows) have the stored rows [first_row, …), and there are
/// no others. So the row of a tensor is arithmetic on its rowid.
struct RowOrder {
  int64_t first_rowid = 0;
  int64_t first_row = 0;
  int64_t num_rows = 0;
};

/// Those of a table's columns of which that is known, by their names.
std::map<std::string, RowOrder> row_orders(Connection& connection, const std::string& table);

/// What is known of a table before rows are put to it; what it becomes once they are there.
class RowOrderOfNewRows {
 public:
  /// The connection outlives it.
  RowOrderOfNewRows(Connection& connection, const Table& table);
  /// `num_new` rows were put to the table, all by one statement.
  void note(int64_t num_new);

 private:
  std::optional<RowOrder> order_with(const Column& column, int64_t num_new) const;

  Connection& connection_;
  const Table& table_;
  bool was_empty_;
  std::map<std::string, RowOrder> before_;
};

/// Rows of a table went, or have other tensors in these columns: whether they are in order is
/// looked up, from the first row to the first that is not, of those that were in order or changed.
void look_up_row_orders(Connection& connection, const Table& table,
                        const std::set<std::string>& changed);

/// Of none of a table's columns anything is known any more.
void forget_row_orders(Connection& connection, const Table& table);

/// The column of whole numbers that is the rowid by another name; nothing where there is none.
std::optional<std::string> rowid_column(Connection& connection, const std::string& table);

}  // namespace tessera::database
