#include "database/sqlite_sums.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include <sqlite3.h>

#include "database/exact_sum.h"
#include "database/not_a_number.h"
#include "database/sqlite_error.h"
#include "database/sqlite_floats.h"

namespace tessera::database {

namespace {

enum class SumKind : uint8_t { sum, total, average };

/// An integer of 128 bits in two words, because memory of SQLite's is aligned for words.
struct WideInteger {
  uint64_t low;
  int64_t high;

  __int128 value() const {
    return static_cast<__int128>(
        (static_cast<unsigned __int128>(static_cast<uint64_t>(high)) << 64U) | low);
  }
  void set(__int128 value) {
    low = static_cast<uint64_t>(value);
    high = static_cast<int64_t>(value >> 64U);
  }
};

/// The state of a sum over a group or a frame. SQLite allocates it zeroed.
struct SumState {
  int64_t num_values, num_floats;
  WideInteger integers;  // the sum of the integers
  ExactSum floats;       // of the other numbers
  double in_order;       // of all, added one after the other
  bool has_left;         // a value left the frame, so that `in_order` is invalid
};

/// True for the BLOB that represents NaN.
bool is_not_a_number(sqlite3_value* value) {
  if (sqlite3_value_type(value) != SQLITE_BLOB) {
    return false;
  }
  const auto* const bytes = static_cast<const char*>(sqlite3_value_blob(value));
  return bytes != nullptr &&
         std::string_view(bytes, static_cast<size_t>(sqlite3_value_bytes(value))) == kNotANumber;
}

SumState* state_of(sqlite3_context* context) {
  return static_cast<SumState*>(sqlite3_aggregate_context(context, sizeof(SumState)));
}

void change(sqlite3_context* context, sqlite3_value* value, int64_t sign) {
  const int type = sqlite3_value_numeric_type(value);
  SumState* const state = type == SQLITE_NULL ? nullptr : state_of(context);
  if (state == nullptr) {
    return;
  }
  state->num_values += sign;
  state->has_left = state->has_left || sign < 0;
  if (type == SQLITE_INTEGER) {
    const int64_t integer = sqlite3_value_int64(value);
    state->integers.set(state->integers.value() + static_cast<__int128>(sign) * integer);
    state->in_order += static_cast<double>(integer);
    return;
  }
  const double number = is_not_a_number(value) ? std::numeric_limits<double>::quiet_NaN()
                                               : sqlite3_value_double(value);
  state->num_floats += sign;
  state->in_order += number;
  if (sign > 0) {
    state->floats.add(number);
  } else {
    state->floats.subtract(number);
  }
}

void add_value(sqlite3_context* context, int, sqlite3_value** values) {
  change(context, values[0], 1);
}
void remove_value(sqlite3_context* context, int, sqlite3_value** values) {
  change(context, values[0], -1);
}

double float_sum(const SumState& state) {
  if (!state.has_left) {
    return state.in_order;
  }
  ExactSum sum = state.floats;
  const __int128 integers = state.integers.value();
  constexpr uint64_t kHalfWord = 0xffffffff;
  for (unsigned part = 0; part < 3; ++part) {  // each is exact as a double
    sum.add(
        std::ldexp(static_cast<double>(static_cast<uint64_t>(integers >> (32U * part)) & kHalfWord),
                   static_cast<int>(32U * part)));
  }
  sum.add(std::ldexp(static_cast<double>(static_cast<int64_t>(integers >> 96U)), 96));
  return sum.value();
}

double average(const SumState& state) {
  if (state.num_floats > 0) {
    return float_sum(state) / static_cast<double>(state.num_values);
  }
  const __int128 sum = state.integers.value();
  constexpr __int128 kLargestExact = __int128{1} << 53U;  // of the integers that are doubles
  if (sum >= -kLargestExact && sum <= kLargestExact) {
    return static_cast<double>(static_cast<int64_t>(sum)) / static_cast<double>(state.num_values);
  }
  const auto whole = static_cast<int64_t>(sum / state.num_values);
  const auto rest = static_cast<double>(static_cast<int64_t>(sum % state.num_values));
  return static_cast<double>(whole) + rest / static_cast<double>(state.num_values);
}

void give_sum(sqlite3_context* context, const SumState& state) {
  if (state.num_floats > 0) {
    give_float(context, float_sum(state));
    return;
  }
  const __int128 sum = state.integers.value();
  if (sum < std::numeric_limits<int64_t>::min() || sum > std::numeric_limits<int64_t>::max()) {
    sqlite3_result_error(context, "integer overflow", -1);
  } else {
    sqlite3_result_int64(context, static_cast<int64_t>(sum));
  }
}

void give_result(sqlite3_context* context) {
  const SumKind kind = *static_cast<const SumKind*>(sqlite3_user_data(context));
  const auto* const state = static_cast<const SumState*>(sqlite3_aggregate_context(context, 0));
  if (state == nullptr || state->num_values == 0) {
    if (kind == SumKind::total) {
      sqlite3_result_double(context, 0);
    }
    return;  // else it is NULL already
  }
  if (kind == SumKind::average) {
    give_float(context, average(*state));
  } else if (kind == SumKind::sum) {
    give_sum(context, *state);
  } else {
    give_float(context, state->num_floats > 0 || !state->has_left
                            ? float_sum(*state)
                            : static_cast<double>(state->integers.value()));
  }
}

void define_sum(sqlite3* connection, const char* name, const SumKind& kind) {
  const int code = sqlite3_create_window_function(
      connection, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
      // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): the functions only read it
      const_cast<SumKind*>(&kind), &add_value, &give_result, &give_result, &remove_value, nullptr);
  if (code != SQLITE_OK) {
    throw sqlite_error(code, sqlite3_errmsg(connection));
  }
}

}  // namespace

void define_sums(sqlite3* connection) {
  static constexpr SumKind kSum = SumKind::sum;
  static constexpr SumKind kTotal = SumKind::total;
  static constexpr SumKind kAverage = SumKind::average;
  define_sum(connection, "sum", kSum);
  define_sum(connection, "total", kTotal);
  define_sum(connection, "avg", kAverage);
}

}  // namespace tessera::database
