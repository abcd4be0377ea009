#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/source.h"

namespace tessera::database {

/// The class of a statement's error, by the standard and PostgreSQL.
enum class SqlState : uint8_t {
  undefined_table,
  undefined_column,
  undefined_function,
  ambiguous_column,
  invalid_recursion,
  duplicate_table,
  not_null_violation,
  foreign_key_violation,
  unique_violation,
  check_violation,
  numeric_value_out_of_range,
  invalid_datetime,
  null_value_not_allowed,
  cardinality_violation,
  datatype_mismatch,
  active_transaction,
  no_active_transaction,
  read_only_transaction,
  lock_not_available,
  serialization_failure,
  disk_full,
  io_error,
  data_corrupted,
  out_of_memory,
  query_canceled,
  feature_not_supported,
  syntax_error,
  other,  // a fault of a statement in no finer class
  insufficient_resources,
  internal_error,
};

/// Returns the five characters: "42P01".
std::string_view code_of(SqlState state);

/// Returns the class of an error that has none itself.
SqlState state_of(ErrorKind kind);

/// An error of a statement with its class and the part of the statement that is wrong: its place in
/// the text, or a name in it, or neither.
class SqlError : public Error {
 public:
  SqlError(SqlState state, Error error, SourceSpan span = {})
      : Error(std::move(error)), state_(state), span_(span) {}
  SqlError(SqlState state, Error error, std::string name)
      : Error(std::move(error)), state_(state), name_(std::move(name)) {}

  SqlState state() const { return state_; }
  /// Returns the place; empty if it is not known.
  SourceSpan span() const { return span_; }
  /// Returns the name, `x` or `t.x`; empty if there is none.
  const std::string& name() const { return name_; }

 private:
  SqlState state_;
  SourceSpan span_;
  std::string name_;
};

}  // namespace tessera::database
