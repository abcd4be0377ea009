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

/// A scalar: NULL, an integer, a float, a text. A float may be NaN: SQLite has it as a BLOB
/// (not_a_number.h).
using Value = std::variant<std::monostate, int64_t, double, std::string>;

/// A function of scalars. What it throws ends the statement that calls it.
using ScalarFunction = std::function<Value(std::span<const Value> arguments)>;

/// Statements that have run, by their text: to prepare one takes longer than to run most of them.
/// Some are kept.
class PreparedStatements {
 public:
  ~PreparedStatements() { finalize_all(); }
  /// Takes a statement out; null if there is none of this text.
  sqlite3_stmt* take(std::string_view sql);
  /// Takes a statement in, to be run again.
  void give_back(sqlite3_stmt* statement);

 private:
  void finalize_all();

  std::map<std::string, sqlite3_stmt*, std::less<>> statements_;
};

/// A statement of SQLite's that is run row by row. Its connection outlives it.
class Statement {
 public:
  Statement(sqlite3* connection, const std::string& sql);
  /// Takes it from those that have run, if it is one of them, and gives it back to them.
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
  /// Goes to the next row; false behind the last one.
  bool step();
  /// Runs it again from the beginning, with other parameters.
  void reset();

  int64_t num_columns() const;
  std::string column_name(int64_t column) const;
  Value value(int64_t column) const;
  bool is_null(int64_t column) const;
  int64_t integer(int64_t column) const;
  std::string text(int64_t column) const;
  /// All rows that are left, where they are whole numbers and NULLs; nothing where one is another
  /// value, or where there are too many, which is asked now and then. Many at once take half as
  /// long as one after the other.
  std::optional<NumberRows> number_rows(const std::function<bool(int64_t num_rows)>& are_too_many);
  /// Whether it changes nothing.
  bool is_read_only() const;

 private:
  sqlite3_stmt* statement_ = nullptr;
  PreparedStatements* prepared_ = nullptr;  // where it goes; null: it is finalized
};

class Connection;

/// A function of one value that SQL may call while this lives: so queries read what is in memory.
class LentFunction {
 public:
  using Of = std::function<Value(const Value& argument)>;

  /// SQL calls it by this name, with its number before the argument.
  static constexpr const char* kName = "lent_function";

  /// The connection outlives it.
  LentFunction(Connection& connection, Of function);
  LentFunction(LentFunction&& other) noexcept;
  LentFunction& operator=(LentFunction&&) = delete;
  ~LentFunction();

  /// `lent_function(3, rowid)`, for an argument in SQLite's words.
  std::string call(const std::string& argument) const;
  int64_t number() const { return number_; }

 private:
  Connection* connection_;  // null where it was moved from
  int64_t number_;
};

/// An open SQLite file.
///
/// Errors of all calls: `user` with SQLite's words; `resource` where the disk is full, the file
/// damaged or somebody else writes; `interrupted`. Threads: one at a time.
class Connection {
 public:
  /// `create` makes a file whose pages have checksums (page_sums.h) if there is none.
  /// `read_unlocked` takes no locks and needs no permission to write: nobody may write meanwhile.
  enum class Access : uint8_t { read_unlocked, read, write, create };

  /// Opens the file; what is read waits for a writer for a moment.
  Connection(const std::string& path, Access access);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Runs statements for what they change.
  void execute(const std::string& sql);
  Statement prepare(const std::string& sql);
  /// Prepares a statement that comes again and again, with parameters for its values, and keeps it
  /// prepared. REQUIRES that it names no temporary table.
  Statement prepare_once(const std::string& sql);
  /// The type that a column of the file is declared with, "" if with none; nothing if there is no
  /// such column. The tables are those that the last statement saw.
  std::optional<std::string> declared_type(const std::string& table, const std::string& column);
  /// The first value of the first row; NULL where there is none.
  Value value(const std::string& sql);
  int64_t integer(const std::string& sql);
  /// The same of a text, for a value of the query's parameter.
  std::string text(const std::string& sql, const Value& parameter);
  /// A column of integers.
  std::vector<int64_t> integers(const std::string& sql);
  /// Rows that the last statement changed.
  int64_t num_changed() const;
  /// Adds a function of up to four arguments, which gives the same for the same values.
  void define(const std::string& name, int num_arguments, ScalarFunction function);
  /// Rows in memory as a temporary table, whose columns are "a, b" (lent_tables.h).
  void lend_table(const std::string& name, std::string columns, NumberRows rows);
  /// Takes a temporary table away, lent or not.
  void drop_table(const std::string& name);
  /// Puts a query's rows to a temporary table of as many columns. Where it may be interrupted and a
  /// transaction has to stay (watch), the query runs apart from what writes its rows.
  void fill(const std::string& table, const std::string& query);

  /// The statements that an interrupt may end: all of them, or only those that read. If SQLite
  /// interrupts a statement that writes, it rolls back the whole transaction with its savepoints
  /// (https://www.sqlite.org/c3ref/interrupt.html).
  enum class Interrupts : uint8_t { all, reads };
  /// Statements end with `interrupted` once this is set; null: they never do.
  void watch(const std::atomic<bool>* cancelled, Interrupts interrupts = Interrupts::all);

  /// True if BEGIN came, and neither COMMIT nor ROLLBACK. An error that SQLite cannot undo a
  /// statement after, as of a full disk, ends the transaction.
  bool is_in_transaction() const;

 private:
  bool may_be_interrupted() const;

  sqlite3* connection_ = nullptr;
  std::optional<PreparedStatements> prepared_;
  std::optional<LentTables> lent_tables_;
  std::vector<std::unique_ptr<ScalarFunction>> functions_;  // that were added
  std::map<int64_t, LentFunction::Of> lent_;                // by number
  int64_t num_lent_ = 0;
  const std::atomic<bool>* cancelled_ = nullptr;
  Interrupts interrupts_ = Interrupts::all;
  friend class LentFunction;
};

}  // namespace tessera::database
