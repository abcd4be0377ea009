#include "database/sql_error.h"

namespace tessera::database {

std::string_view code_of(SqlState state) {
  switch (state) {
    case SqlState::undefined_table:
      return "42P01";
    case SqlState::invalid_recursion:
      return "42P19";
    case SqlState::undefined_column:
      return "42703";
    case SqlState::undefined_function:
      return "42883";
    case SqlState::ambiguous_column:
      return "42702";
    case SqlState::duplicate_table:
      return "42P07";
    case SqlState::not_null_violation:
      return "23502";
    case SqlState::foreign_key_violation:
      return "23503";
    case SqlState::unique_violation:
      return "23505";
    case SqlState::check_violation:
      return "23514";
    case SqlState::numeric_value_out_of_range:
      return "22003";
    case SqlState::invalid_datetime:
      return "22007";
    case SqlState::null_value_not_allowed:
      return "22004";
    case SqlState::cardinality_violation:
      return "21000";
    case SqlState::datatype_mismatch:
      return "42804";
    case SqlState::active_transaction:
      return "25001";
    case SqlState::no_active_transaction:
      return "25P01";
    case SqlState::read_only_transaction:
      return "25006";
    case SqlState::lock_not_available:
      return "55P03";
    case SqlState::serialization_failure:
      return "40001";
    case SqlState::disk_full:
      return "53100";
    case SqlState::io_error:
      return "58030";
    case SqlState::data_corrupted:
      return "XX001";
    case SqlState::out_of_memory:
      return "53200";
    case SqlState::query_canceled:
      return "57014";
    case SqlState::feature_not_supported:
      return "0A000";
    case SqlState::syntax_error:
      return "42601";
    case SqlState::other:
      return "42000";
    case SqlState::insufficient_resources:
      return "53000";
    case SqlState::internal_error:
      return "XX000";
  }
  return "XX000";
}

SqlState state_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::user:
      return SqlState::other;
    case ErrorKind::unsupported:
      return SqlState::feature_not_supported;
    case ErrorKind::resource:
      return SqlState::insufficient_resources;
    case ErrorKind::interrupted:
      return SqlState::query_canceled;
    case ErrorKind::internal:
      return SqlState::internal_error;
  }
  return SqlState::internal_error;
}

}  // namespace tessera::database
