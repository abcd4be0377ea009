#include <array>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/error.h"
#include "base/overload.h"
#include "database/not_a_number.h"
#include "database/sqlite.h"
#include "database/sqlite_error.h"
#include "database/sqlite_floats.h"

namespace tessera::database {

namespace {

constexpr size_t kMostArguments = 4;

Value value_of(sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_NULL:
      return std::monostate();
    case SQLITE_INTEGER:
      return static_cast<int64_t>(sqlite3_value_int64(value));
    case SQLITE_FLOAT:
      return sqlite3_value_double(value);
    default:
      break;
  }
  const auto* const bytes = static_cast<const char*>(sqlite3_value_blob(value));
  std::string text = bytes == nullptr
                         ? std::string()
                         : std::string(bytes, static_cast<size_t>(sqlite3_value_bytes(value)));
  const bool is_nan = sqlite3_value_type(value) == SQLITE_BLOB && text == kNotANumber;
  return is_nan ? Value(std::numeric_limits<double>::quiet_NaN()) : Value(std::move(text));
}

void give(sqlite3_context* context, const Value& value) {
  std::visit(Overload{[&](std::monostate) { sqlite3_result_null(context); },
                      [&](int64_t integer) { sqlite3_result_int64(context, integer); },
                      [&](double number) { give_float(context, number); },
                      [&](const std::string& text) {
                        sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT,
                                              SQLITE_UTF8);
                      }},
             value);
}

/// Calls a function for SQLite; no exception passes through it.
void call(sqlite3_context* context, int num_arguments, sqlite3_value** given) {
  try {
    std::array<Value, kMostArguments> arguments;
    const auto count = static_cast<size_t>(num_arguments);
    for (size_t place = 0; place < count; ++place) {
      arguments.at(place) = value_of(given[place]);
    }
    const auto& function = *static_cast<const ScalarFunction*>(sqlite3_user_data(context));
    give(context, function(std::span(arguments).first(count)));
  } catch (const std::exception& error) {
    sqlite3_result_error(context, error.what(), -1);
  }
}

}  // namespace

void Connection::define(const std::string& name, int num_arguments, ScalarFunction function) {
  TESSERA_CHECK(num_arguments >= 0 && num_arguments <= static_cast<int>(kMostArguments),
                "{} takes {} arguments", name, num_arguments);
  functions_.push_back(std::make_unique<ScalarFunction>(std::move(function)));
  const int code =
      sqlite3_create_function_v2(connection_, name.c_str(), num_arguments,
                                 SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                 functions_.back().get(), call, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) {
    throw sqlite_error(code, sqlite3_errmsg(connection_));
  }
}

LentFunction::LentFunction(Connection& connection, Of function)
    : connection_(&connection), number_(++connection.num_lent_) {
  if (number_ == 1) {
    connection.define(kName, 2, [&connection](std::span<const Value> arguments) {
      return connection.lent_.at(std::get<int64_t>(arguments[0]))(arguments[1]);
    });
  }
  connection.lent_.emplace(number_, std::move(function));
}

LentFunction::LentFunction(LentFunction&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)), number_(other.number_) {}

LentFunction::~LentFunction() {
  if (connection_ != nullptr) {
    connection_->lent_.erase(number_);
  }
}

std::string LentFunction::call(const std::string& argument) const {
  return fmt::format("{}({}, {})", kName, number_, argument);
}

}  // namespace tessera::database
