#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "database/lent_tables.h"

struct sqlite3;
struct sqlite3_stmt;

namespace tessera::database {

/// A scalar: NULL, an integer, a float, a text. A float may be NaN, which is a BLOB in SQLite
/// (not_a_number.h).
using Value = std::variant<std::monostate, int64_t, double, std::string>;

/// The name of a table or a column in double quotes, as a statement has it.
std::string quoted_name(const std::string& name);

/// A function of scalars. An exception of it ends the statement that calls it.
using ScalarFunction = std::function<Value(std::span<const Value> arguments)>;

/// A cache of prepared statements, by their text: preparing one takes longer than running most of
/// them.
class PreparedStatements {
 public:
  ~PreparedStatements() { finalize_all(); }
  /// Takes a statement out; null if there is none of this text.
  sqlite3_stmt* take(std::string_view sql);
  /// Puts a statement in, to be run again.
  void give_back(sqlite3_stmt* statement);

 private:
  void finalize_all();

  std::map<std::string, sqlite3_stmt*, std::less<>> statements_;
};

/// A statement of SQLite's that is run row by row. Its connection outlives it.
class Statement {
 public:
  Statement(sqlite3* connection, const std::string& sql);
  /// Takes the statement from the cache if it is there, and puts it back at the end.
  Statement(sqlite3* connection, const std::string& sql, PreparedStatements& prepared);
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  /// Gives a parameter (`?`, counted from 0) its value.
  void bind(int64_t parameter, const Value& value);
  /// Gives a parameter a BLOB. REQUIRES that its bytes stay in place until the statement has run.
  void bind_bytes(int64_t parameter, std::string_view bytes);
  /// Gives all parameters the values of another statement's row, which has as many columns.
  void bind_row_of(const Statement& other);
  /// Goes to the next row; false after the last one.
  bool step();
  /// Restarts the statement, for other parameters.
  void reset();

  int64_t num_columns() const;
  std::string column_name(int64_t column) const;
  Value value(int64_t column) const;
  bool is_null(int64_t column) const;
  int64_t integer(int64_t column) const;
  std::string text(int64_t column) const;
  /// Returns all remaining rows if they are whole numbers and NULLs; nothing if one is another
  /// value, or if there are too many, which is tested now and then. Many at once take half as long
  /// as one by one.
  std::optional<NumberRows> number_rows(const std::function<bool(int64_t num_rows)>& are_too_many);
  /// True if it changes nothing.
  bool is_read_only() const;

 private:
  sqlite3_stmt* statement_ = nullptr;
  // the cache that it returns to; null: it is finalized
  PreparedStatements* prepared_ = nullptr;
};

class Connection;

/// A function of one value that SQL may call while this lives, so that queries can read memory.
class LentFunction {
 public:
  using Of = std::function<Value(const Value& argument)>;

  /// The name that SQL calls it by, with its number before the argument.
  static constexpr const char* kName = "lent_function";

  /// The connection outlives it.
  LentFunction(Connection& connection, Of function);
  LentFunction(LentFunction&& other) noexcept;
  LentFunction& operator=(LentFunction&&) = delete;
  ~LentFunction();

  /// Returns `lent_function(3, rowid)`, for an argument in SQL.
  std::string call(const std::string& argument) const;
  int64_t number() const { return number_; }

 private:
  Connection* connection_;  // null after a move
  int64_t number_;
};

/// An open SQLite file.
///
/// Errors of all calls: `user` with SQLite's words; `resource` if the disk is full, the file is
/// damaged or another process writes; `interrupted`. Threads: one at a time.
class Connection {
 public:
  /// `create` makes a file whose pages have checksums (page_sums.h) if there is none.
  /// `read_unlocked` takes no locks and needs no permission to write: no process may write
  /// meanwhile.
  enum class Access : uint8_t { read_unlocked, read, write, create };

  /// Opens the file; reads wait for a writer for a moment.
  Connection(const std::string& path, Access access);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Runs statements for their changes.
  void execute(const std::string& sql);
  Statement prepare(const std::string& sql);
  /// Prepares a statement that is used often, with parameters for its values, and keeps it
  /// prepared. REQUIRES that it names no temporary table.
  Statement prepare_once(const std::string& sql);
  /// Returns the declared type of a column, "" if it has none; nothing if there is no such column.
  /// The tables are those that the last statement saw.
  std::optional<std::string> declared_type(const std::string& table, const std::string& column);
  /// Returns the first value of the first row; NULL if there is none.
  Value value(const std::string& sql);
  int64_t integer(const std::string& sql);
  /// Returns the first value as a text, for a value of the query's parameter.
  std::string text(const std::string& sql, const Value& parameter);
  /// Returns a column of integers.
  std::vector<int64_t> integers(const std::string& sql);
  /// Returns the number of rows that the last statement changed.
  int64_t num_changed() const;
  /// Adds a function of up to four arguments, which gives the same for the same values.
  void define(const std::string& name, int num_arguments, ScalarFunction function);
  /// Lends rows in memory as a temporary table, whose columns are "a, b" (lent_tables.h).
  void lend_table(const std::string& name, std::string columns, NumberRows rows);
  /// Removes a temporary table, lent or not.
  void drop_table(const std::string& name);
  /// Adds a query's rows to a temporary table of as many columns. If it may be interrupted and a
  /// transaction has to survive (watch), the query runs separately from the statement that writes
  /// its rows.
  void fill(const std::string& table, const std::string& query);

  /// The statements that an interrupt may end: all of them, or only those that read. If SQLite
  /// interrupts a statement that writes, it rolls back the whole transaction with its savepoints
  /// (https://www.sqlite.org/c3ref/interrupt.html).
  enum class Interrupts : uint8_t { all, reads };
  /// Sets the flag that ends statements with `interrupted`; null: there is none.
  void watch(const std::atomic<bool>* cancelled, Interrupts interrupts = Interrupts::all);

  /// True after BEGIN, until COMMIT or ROLLBACK. If SQLite cannot undo a statement after an error,
  /// such as a full disk, the error ends the transaction.
  bool is_in_transaction() const;

 private:
  bool may_be_interrupted() const;

  sqlite3* connection_ = nullptr;
  std::optional<PreparedStatements> prepared_;
  std::optional<LentTables> lent_tables_;
  std::vector<std::unique_ptr<ScalarFunction>> functions_;  // the added ones
  std::map<int64_t, LentFunction::Of> lent_;                // by number
  int64_t num_lent_ = 0;
  const std::atomic<bool>* cancelled_ = nullptr;
  Interrupts interrupts_ = Interrupts::all;
  friend class LentFunction;
};

}  // namespace tessera::database
