#include "database/sqlite.h"

#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "database/not_a_number.h"
#include "database/page_sums.h"
#include "database/sqlite_error.h"
#include "database/sqlite_statistics.h"
#include "database/sqlite_sums.h"

namespace tessera::database {

namespace {

constexpr int kWaitMilliseconds = 2000;  // for a writer
// The memory that statements are parsed in: small ones without a call of malloc.
constexpr int kLookasideBytes = 1200;
constexpr int kLookasideSlots = 500;
constexpr size_t kMostPrepared = 128;
constexpr int64_t kRowsPerLook = 4096;      // between tests whether there are too many
constexpr int kInstructionsPerLook = 1000;  // between tests whether the user interrupts

void check(sqlite3* connection, int code) {
  if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE) {
    throw sqlite_error(
        code, code == SQLITE_IOERR_DATA ? damaged_page_of(connection) : sqlite3_errmsg(connection));
  }
}

int flags_of(Connection::Access access) {
  switch (access) {
    case Connection::Access::read_unlocked:
    case Connection::Access::read:
      return SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
    case Connection::Access::write:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI;
    case Connection::Access::create:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
  }
  return SQLITE_OPEN_READONLY;
}

/// Returns the file as SQLite's URI (https://www.sqlite.org/uri.html).
std::string uri_of(const std::string& path, Connection::Access access) {
  std::string uri = path.starts_with("/") ? "file://" : "file:";  // behind // would be a host
  for (const char character : path) {
    const bool is_special = character == '%' || character == '?' || character == '#';
    uri += is_special ? fmt::format("%{:02x}", static_cast<unsigned char>(character))
                      : std::string(1, character);
  }
  return uri + (access == Connection::Access::read_unlocked ? "?immutable=1" : "");
}

}  // namespace

std::string quoted_name(const std::string& name) {
  std::string text = "\"";
  for (const char character : name) {
    text.append(character == '"' ? 2 : 1, character);
  }
  return text + "\"";
}

Statement::Statement(sqlite3* connection, const std::string& sql) {
  check(connection, sqlite3_prepare_v2(connection, sql.c_str(), static_cast<int>(sql.size()) + 1,
                                       &statement_, nullptr));
}

void PreparedStatements::finalize_all() {
  for (const auto& [sql, statement] : statements_) {
    sqlite3_finalize(statement);
  }
  statements_.clear();
}

sqlite3_stmt* PreparedStatements::take(std::string_view sql) {
  const auto found = statements_.find(sql);
  return found == statements_.end() ? nullptr : std::exchange(found->second, nullptr);
}

void PreparedStatements::give_back(sqlite3_stmt* statement) {
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  if (statements_.size() == kMostPrepared) {
    finalize_all();
  }
  sqlite3_finalize(std::exchange(statements_[sqlite3_sql(statement)], statement));
}

Statement::Statement(sqlite3* connection, const std::string& sql, PreparedStatements& prepared)
    : statement_(prepared.take(sql)), prepared_(&prepared) {
  if (statement_ == nullptr) {
    check(connection, sqlite3_prepare_v3(connection, sql.c_str(), static_cast<int>(sql.size()) + 1,
                                         SQLITE_PREPARE_PERSISTENT, &statement_, nullptr));
  }
}

Statement::Statement(Statement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)), prepared_(other.prepared_) {}

Statement::~Statement() {
  if (prepared_ != nullptr && statement_ != nullptr) {
    prepared_->give_back(statement_);
  } else {
    sqlite3_finalize(statement_);
  }
}

void Statement::bind(int64_t parameter, const Value& value) {
  const int place = static_cast<int>(parameter) + 1;
  int code = SQLITE_OK;
  if (const auto* integer = std::get_if<int64_t>(&value)) {
    code = sqlite3_bind_int64(statement_, place, *integer);
  } else if (const auto* number = std::get_if<double>(&value)) {
    code = std::isnan(*number)
               ? sqlite3_bind_blob(statement_, place, kNotANumber.data(),
                                   static_cast<int>(kNotANumber.size()), SQLITE_STATIC)
               : sqlite3_bind_double(statement_, place, *number);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    code = sqlite3_bind_text64(statement_, place, text->data(), text->size(), SQLITE_TRANSIENT,
                               SQLITE_UTF8);
  } else {
    code = sqlite3_bind_null(statement_, place);
  }
  check(sqlite3_db_handle(statement_), code);
}

void Statement::bind_bytes(int64_t parameter, std::string_view bytes) {
  check(sqlite3_db_handle(statement_),
        sqlite3_bind_blob64(statement_, static_cast<int>(parameter) + 1, bytes.data(), bytes.size(),
                            SQLITE_STATIC));
}

void Statement::bind_row_of(const Statement& other) {
  const int count = sqlite3_column_count(other.statement_);
  for (int column = 0; column < count; ++column) {
    check(
        sqlite3_db_handle(statement_),
        sqlite3_bind_value(statement_, column + 1, sqlite3_column_value(other.statement_, column)));
  }
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  check(sqlite3_db_handle(statement_), code);
  return code == SQLITE_ROW;
}

void Statement::reset() {
  sqlite3_reset(statement_);
}

int64_t Statement::num_columns() const {
  return sqlite3_column_count(statement_);
}

std::string Statement::column_name(int64_t column) const {
  return sqlite3_column_name(statement_, static_cast<int>(column));
}

Value Statement::value(int64_t column) const {
  const int place = static_cast<int>(column);
  switch (sqlite3_column_type(statement_, place)) {
    case SQLITE_NULL:
      return std::monostate();
    case SQLITE_INTEGER:
      return static_cast<int64_t>(sqlite3_column_int64(statement_, place));
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement_, place);
    case SQLITE_BLOB: {
      std::string bytes = text(column);
      return bytes == kNotANumber ? Value(std::numeric_limits<double>::quiet_NaN())
                                  : Value(std::move(bytes));
    }
    default:
      return text(column);
  }
}

bool Statement::is_null(int64_t column) const {
  return sqlite3_column_type(statement_, static_cast<int>(column)) == SQLITE_NULL;
}

int64_t Statement::integer(int64_t column) const {
  return sqlite3_column_int64(statement_, static_cast<int>(column));
}

std::string Statement::text(int64_t column) const {
  const int place = static_cast<int>(column);
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, place));
  return bytes == nullptr
             ? std::string()
             : std::string(bytes, static_cast<size_t>(sqlite3_column_bytes(statement_, place)));
}

std::optional<NumberRows> Statement::number_rows(
    const std::function<bool(int64_t num_rows)>& are_too_many) {
  const int count = sqlite3_column_count(statement_);
  std::vector<std::vector<int64_t>> columns(static_cast<size_t>(count));
  NumberRows rows;
  for (; step(); ++rows.num_rows) {
    if (rows.num_rows % kRowsPerLook == 0 && are_too_many(rows.num_rows)) {
      return std::nullopt;
    }
    for (int column = 0; column < count; ++column) {
      const int type = sqlite3_column_type(statement_, column);
      const int64_t number =
          type == SQLITE_NULL ? kNullNumber : sqlite3_column_int64(statement_, column);
      if (type != SQLITE_NULL && (type != SQLITE_INTEGER || number == kNullNumber)) {
        return std::nullopt;
      }
      columns[static_cast<size_t>(column)].push_back(number);
    }
  }
  for (std::vector<int64_t>& column : columns) {
    rows.columns.push_back(std::make_shared<const std::vector<int64_t>>(std::move(column)));
  }
  return rows;
}

bool Statement::is_read_only() const {
  return sqlite3_stmt_readonly(statement_) != 0;
}

Connection::Connection(const std::string& path, Access access) {
  // No mutex, because one thread at a time calls.
  const int code = sqlite3_open_v2(uri_of(path, access).c_str(), &connection_,
                                   flags_of(access) | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX,
                                   vfs_with_page_sums());
  if (code != SQLITE_OK) {
    const std::string reason =
        connection_ == nullptr ? "out of memory" : sqlite3_errmsg(connection_);
    sqlite3_close(connection_);
    throw sqlite_error(code, path + ": " + reason);
  }
  sqlite3_db_config(connection_, SQLITE_DBCONFIG_LOOKASIDE, nullptr, kLookasideBytes,
                    kLookasideSlots);
  sqlite3_busy_timeout(connection_, kWaitMilliseconds);
  if (access == Access::create) {
    int reserved = kPageSumBytes;
    sqlite3_file_control(connection_, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
  }
  // A text in double quotes that names no column is a mistake, not a string.
  sqlite3_db_config(connection_, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(connection_, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  prepared_.emplace();
  lent_tables_.emplace(connection_);
  define_sums(connection_);
  define_statistics(connection_);
}

Connection::~Connection() {
  prepared_.reset();
  sqlite3_close(connection_);
}

void Connection::execute(const std::string& sql) {
  lent_tables_->make_named_in(sql);
  check(connection_, sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr));
}

Statement Connection::prepare(const std::string& sql) {
  lent_tables_->make_named_in(sql);
  return {connection_, sql};
}

void Connection::lend_table(const std::string& name, std::string columns, NumberRows rows) {
  lent_tables_->lend(name, std::move(columns), std::move(rows));
}

void Connection::drop_table(const std::string& name) {
  if (!lent_tables_->take_back(name)) {
    execute("DROP TABLE IF EXISTS temp." + name);
  }
}

Statement Connection::prepare_once(const std::string& sql) {
  return {connection_, sql, *prepared_};
}

std::optional<std::string> Connection::declared_type(const std::string& table,
                                                     const std::string& column) {
  const char* type = nullptr;
  const int code = sqlite3_table_column_metadata(connection_, "main", table.c_str(), column.c_str(),
                                                 &type, nullptr, nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? std::optional<std::string>(type == nullptr ? "" : type) : std::nullopt;
}

Value Connection::value(const std::string& sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.value(0) : Value();
}

int64_t Connection::integer(const std::string& sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::string Connection::text(const std::string& sql, const Value& parameter) {
  Statement statement = prepare(sql);
  statement.bind(0, parameter);
  return statement.step() ? statement.text(0) : "";
}

std::vector<int64_t> Connection::integers(const std::string& sql) {
  Statement statement = prepare(sql);
  std::vector<int64_t> values;
  while (statement.step()) {
    values.push_back(statement.integer(0));
  }
  return values;
}

int64_t Connection::num_changed() const {
  return sqlite3_changes64(connection_);
}

void Connection::fill(const std::string& table, const std::string& query) {
  const std::string insert = "INSERT INTO temp." + table + " ";
  if (cancelled_ == nullptr || interrupts_ == Interrupts::all) {
    execute(insert + query);
    return;
  }
  Statement rows = prepare(query);
  std::string parameters = "?";
  for (int64_t column = 1; column < rows.num_columns(); ++column) {
    parameters += ", ?";
  }
  Statement row = prepare(insert + "VALUES (" + parameters + ")");
  while (rows.step()) {
    row.bind_row_of(rows);
    row.step();
    row.reset();
  }
}

bool Connection::is_in_transaction() const {
  return sqlite3_get_autocommit(connection_) == 0;
}

bool Connection::may_be_interrupted() const {
  if (interrupts_ == Interrupts::all) {
    return true;
  }
  for (sqlite3_stmt* statement = sqlite3_next_stmt(connection_, nullptr); statement != nullptr;
       statement = sqlite3_next_stmt(connection_, statement)) {
    if (sqlite3_stmt_busy(statement) != 0 && sqlite3_stmt_readonly(statement) == 0) {
      return false;
    }
  }
  return true;
}

void Connection::watch(const std::atomic<bool>* cancelled, Interrupts interrupts) {
  cancelled_ = cancelled;
  interrupts_ = interrupts;
  const auto look = [](void* watched) -> int {
    const auto& self = *static_cast<const Connection*>(watched);
    return self.cancelled_->load() && self.may_be_interrupted() ? 1 : 0;
  };
  sqlite3_progress_handler(connection_, cancelled == nullptr ? 0 : kInstructionsPerLook,
                           cancelled == nullptr ? nullptr : +look, this);
}

}  // namespace tessera::database
