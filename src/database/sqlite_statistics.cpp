#include "database/sqlite_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <sqlite3.h>

#include "database/sqlite_error.h"
#include "database/sqlite_floats.h"

namespace tessera::database {

namespace {

/// Takes a number of an aggregate's argument; false for NULL, and for other values, which fail.
bool take_number(sqlite3_context* context, sqlite3_value* value, double& number) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
      number = sqlite3_value_double(value);
      return true;
    case SQLITE_BLOB:  // the representation of NaN
      number = std::numeric_limits<double>::quiet_NaN();
      return true;
    case SQLITE_TEXT:
      sqlite3_result_error(context, "variance, stddev and median are of numbers, not of texts", -1);
      return false;
    default:
      return false;
  }
}

/// The state of a variance. Source: Welford, Note on a method for calculating corrected sums of
/// squares and products, 1962.
struct Moments {
  int64_t count;
  double mean;
  double squares;  // of differences from the mean, summed
};

void add_to_moments(sqlite3_context* context, int, sqlite3_value** arguments) {
  double number = 0;
  auto* const moments = static_cast<Moments*>(sqlite3_aggregate_context(context, sizeof(Moments)));
  if (moments == nullptr || !take_number(context, arguments[0], number)) {
    return;
  }
  ++moments->count;
  const double difference = number - moments->mean;
  moments->mean += difference / static_cast<double>(moments->count);
  moments->squares += difference * (number - moments->mean);
}

/// Divides the sum of squares by the count less `missing`; NULL if that is 0.
template <int64_t missing, bool is_root>
void finish_moments(sqlite3_context* context) {
  const auto* const moments = static_cast<Moments*>(sqlite3_aggregate_context(context, 0));
  if (moments == nullptr || moments->count <= missing) {
    sqlite3_result_null(context);
    return;
  }
  const double variance = moments->squares / static_cast<double>(moments->count - missing);
  give_float(context, is_root ? std::sqrt(variance) : variance);
}

using Numbers = std::vector<double>;

void add_to_numbers(sqlite3_context* context, int, sqlite3_value** arguments) {
  auto** const numbers =
      static_cast<Numbers**>(sqlite3_aggregate_context(context, sizeof(Numbers*)));
  double number = 0;
  if (numbers == nullptr || !take_number(context, arguments[0], number)) {
    return;
  }
  if (*numbers == nullptr) {
    *numbers = std::make_unique<Numbers>().release();
  }
  (*numbers)->push_back(number);
}

/// Returns the mean of two numbers, one of which may be infinite.
double middle_of(double low, double high) {
  const bool are_finite = std::isfinite(low) && std::isfinite(high);
  return low == high ? low : are_finite ? low + (high - low) / 2 : low + high;
}

/// Returns the middle number, or the mean of the two there; NaN is greater than all others.
void finish_median(sqlite3_context* context) {
  auto** const found = static_cast<Numbers**>(sqlite3_aggregate_context(context, 0));
  const std::unique_ptr<Numbers> numbers(found == nullptr ? nullptr : *found);
  if (numbers == nullptr) {
    sqlite3_result_null(context);
    return;
  }
  std::sort(numbers->begin(), numbers->end(), [](double one, double other) {
    return std::isnan(other) ? !std::isnan(one) : one < other;
  });
  const double low = (*numbers)[(numbers->size() - 1) / 2];
  const double high = (*numbers)[numbers->size() / 2];
  give_float(context, middle_of(low, high));
}

using Step = void (*)(sqlite3_context*, int, sqlite3_value**);
using Finish = void (*)(sqlite3_context*);

}  // namespace

void define_statistics(sqlite3* connection) {
  const auto define = [&](const char* name, Step step, Finish finish) {
    const int code = sqlite3_create_function_v2(
        connection, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr,
        nullptr, step, finish, nullptr);
    if (code != SQLITE_OK) {
      throw sqlite_error(code, sqlite3_errmsg(connection));
    }
  };
  for (const char* name : {"variance", "var_samp"}) {
    define(name, add_to_moments, finish_moments<1, false>);
  }
  for (const char* name : {"stddev", "stddev_samp"}) {
    define(name, add_to_moments, finish_moments<1, true>);
  }
  define("var_pop", add_to_moments, finish_moments<0, false>);
  define("stddev_pop", add_to_moments, finish_moments<0, true>);
  define("median", add_to_numbers, finish_median);
}

}  // namespace tessera::database
