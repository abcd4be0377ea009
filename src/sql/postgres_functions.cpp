#include "sql/postgres_functions.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "frontend/sql/truth_words.h"
#include "sql/number_text.h"
#include "sql/value_text.h"

namespace tessera::sql {

namespace {

using database::Value;
using Arguments = std::span<const Value>;

constexpr int64_t kMostBytes = int64_t{1} << 30;  // of a text, as in PostgreSQL

bool is_absent(const Value& value) {
  return std::holds_alternative<std::monostate>(value);
}

/// A number where a whole one is wanted.
int64_t whole_of(const Value& value, const char* function) {
  const auto* const whole = std::get_if<int64_t>(&value);
  const auto* const number = std::get_if<double>(&value);
  constexpr double kLargest = 9e15;
  const bool is_whole = whole != nullptr || (number != nullptr && std::trunc(*number) == *number &&
                                             std::abs(*number) < kLargest);
  TESSERA_USER_CHECK(is_whole, "{} wants a whole number, not '{}'", function, value_text(value));
  constexpr int64_t kFar = int64_t{1} << 40;  // beyond all texts and dates
  return std::clamp(whole != nullptr ? *whole : static_cast<int64_t>(*number), -kFar, kFar);
}

bool begins_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

int64_t num_characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(), begins_character);
}

/// The byte at which a character begins, counted from 0; the end where there are fewer.
size_t byte_of(std::string_view text, int64_t character) {
  size_t byte = 0;
  for (int64_t left = character; left > 0 && byte < text.size(); --left) {
    ++byte;
    while (byte < text.size() && !begins_character(text[byte])) {
      ++byte;
    }
  }
  return byte;
}

/// Characters [begin, end) of a text, those of them that there are.
std::string characters(std::string_view text, int64_t begin, int64_t end) {
  if (end <= begin) {
    return "";
  }
  const size_t first = byte_of(text, std::max<int64_t>(begin, 0));
  return std::string(text.substr(first, byte_of(text, std::max<int64_t>(end, 0)) - first));
}

/// All but the last -n where n is negative.
Value left(Arguments given) {
  const std::string text = value_text(given[0]);
  const int64_t count = whole_of(given[1], "left");
  return characters(text, 0, count < 0 ? num_characters(text) + count : count);
}

Value right(Arguments given) {
  const std::string text = value_text(given[0]);
  const int64_t count = whole_of(given[1], "right");
  const int64_t length = num_characters(text);
  return characters(text, count < 0 ? -count : std::max<int64_t>(length - count, 0), length);
}

/// SQL's substring: positions before the first are counted and hold nothing.
Value substr(Arguments given) {
  const std::string text = value_text(given[0]);
  const int64_t first = whole_of(given[1], "substr") - 1;
  if (given.size() == 2) {
    return characters(text, first, num_characters(text));
  }
  const int64_t count = whole_of(given[2], "substr");
  TESSERA_USER_CHECK(count >= 0, "substr of {} characters: a length is not negative", count);
  const int64_t length = num_characters(text);
  return characters(text, first, first > length ? first : first + std::min(count, length - first));
}

void check_bytes(int64_t count, size_t bytes) {
  TESSERA_USER_CHECK(bytes == 0 || count <= kMostBytes / static_cast<int64_t>(bytes),
                     "a text of more than 1 GiB");
}

std::string repeated(const std::string& text, int64_t count) {
  check_bytes(count, text.size());
  std::string all;
  for (int64_t number = 0; number < count; ++number) {
    all += text;
  }
  return all;
}

Value repeat(Arguments given) {
  return repeated(value_text(given[0]), whole_of(given[1], "repeat"));
}

/// Returns the characters that a text lacks to this length, by repeating the filling.
std::string padding(const std::string& text, int64_t length, const std::string& filling) {
  const int64_t missing = length - num_characters(text);
  const int64_t period = num_characters(filling);
  return missing <= 0 || period == 0
             ? std::string()
             : characters(repeated(filling, missing / period + 1), 0, missing);
}

template <bool at_left>
Value pad(Arguments given) {
  const std::string text = value_text(given[0]);
  const int64_t length = std::max<int64_t>(whole_of(given[1], at_left ? "lpad" : "rpad"), 0);
  const std::string filling =
      padding(text, length, given.size() == 3 ? value_text(given[2]) : std::string(" "));
  const std::string kept = characters(text, 0, length);
  return at_left ? filling + kept : kept + filling;
}

Value reverse(Arguments given) {
  const std::string text = value_text(given[0]);
  std::string reversed;
  for (size_t end = text.size(); end > 0;) {
    size_t begin = end - 1;
    while (begin > 0 && !begins_character(text[begin])) {
      --begin;
    }
    reversed.append(text, begin, end - begin);
    end = begin;
  }
  return reversed;
}

/// A part between delimiters, counted from 1, or from the end where it is negative.
Value split_part(Arguments given) {
  const std::string text = value_text(given[0]);
  const std::string delimiter = value_text(given[1]);
  const int64_t wanted = whole_of(given[2], "split_part");
  TESSERA_USER_CHECK(wanted != 0, "split_part: the first part is 1, and the last one -1");
  std::vector<std::string> parts;
  for (size_t begin = 0;;) {
    const size_t end = delimiter.empty() ? text.npos : text.find(delimiter, begin);
    parts.push_back(text.substr(begin, end == text.npos ? end : end - begin));
    if (end == text.npos) {
      break;
    }
    begin = end + delimiter.size();
  }
  const auto count = static_cast<int64_t>(parts.size());
  const int64_t place = wanted > 0 ? wanted - 1 : count + wanted;
  return place < 0 || place >= count ? std::string() : parts[static_cast<size_t>(place)];
}

Value starts_with(Arguments given) {
  return static_cast<int64_t>(value_text(given[0]).starts_with(value_text(given[1])));
}

/// A text that is a number in all its length; the number that others begin with, or 0, as SQLite
/// casts them.
Value float_of(Arguments given) {
  const auto* const text = std::get_if<std::string>(&given[0]);
  if (text == nullptr) {
    const auto* const whole = std::get_if<int64_t>(&given[0]);
    return whole != nullptr ? Value(static_cast<double>(*whole)) : given[0];
  }
  if (const std::optional<double> number = float_in(*text)) {
    return *number;
  }
  const size_t begin = std::min(text->find_first_not_of(" \t\r\n"), text->size());
  const size_t first = begin + (text->substr(begin, 1) == "+" ? 1 : 0);
  double number = 0;
  const auto read = std::from_chars(text->data() + first, text->data() + text->size(), number);
  return read.ec == std::errc() && std::isfinite(number) ? number : 0.0;
}

/// The truth value of a number, or in the words of a text.
Value truth_of(Arguments given) {
  const auto* const text = std::get_if<std::string>(&given[0]);
  if (text == nullptr) {
    const auto* const whole = std::get_if<int64_t>(&given[0]);
    return static_cast<int64_t>(whole != nullptr ? *whole != 0 : std::get<double>(given[0]) != 0);
  }
  const std::optional<bool> truth = frontend::sql::truth_in(*text);
  TESSERA_USER_CHECK(truth, "'{}' is no truth value, such as 'true'", *text);
  return static_cast<int64_t>(*truth);
}

std::optional<std::chrono::sys_days> day_in(const std::string& text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') {
    return std::nullopt;
  }
  const char* const begin = text.data();
  const bool are_numbers = std::from_chars(begin, begin + 4, year).ptr == begin + 4 &&
                           std::from_chars(begin + 5, begin + 7, month).ptr == begin + 7 &&
                           std::from_chars(begin + 8, begin + 10, day).ptr == begin + 10;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  return are_numbers && date.ok() ? std::optional(std::chrono::sys_days(date)) : std::nullopt;
}

Value date_plus(Arguments given) {
  const std::string text = value_text(given[0]);
  const auto day = day_in(text);
  TESSERA_USER_CHECK(day, "'{}' is no date, such as '2026-11-25'", text);
  const int64_t num_days = whole_of(given[1], "a date and a number of days");
  constexpr int64_t kMostDays = 4'000'000;  // more than between any two dates
  if (std::abs(num_days) < kMostDays) {
    const std::chrono::year_month_day moved(*day + std::chrono::days(num_days));
    const int year = static_cast<int>(moved.year());
    if (year >= 0 && year <= 9999) {
      return fmt::format("{:04}-{:02}-{:02}", year, static_cast<unsigned>(moved.month()),
                         static_cast<unsigned>(moved.day()));
    }
  }
  throw_error(ErrorKind::user, "{} and {} days: dates are of the years 0000 to 9999", text,
              num_days);
}

}  // namespace

void define_postgres_functions(database::Connection& connection) {
  const auto define = [&](const char* name, int num_arguments, Value (*function)(Arguments)) {
    connection.define(name, num_arguments, [function](Arguments given) {
      return std::any_of(given.begin(), given.end(), is_absent) ? Value() : function(given);
    });
  };
  define("left", 2, left);
  define("right", 2, right);
  define("substr", 2, substr);
  define("substr", 3, substr);
  define("repeat", 2, repeat);
  define("lpad", 2, pad<true>);
  define("lpad", 3, pad<true>);
  define("rpad", 2, pad<false>);
  define("rpad", 3, pad<false>);
  define("reverse", 1, reverse);
  define("split_part", 3, split_part);
  define("starts_with", 2, starts_with);
  define("float_of", 1, float_of);
  define("truth_of", 1, truth_of);
  define("date_plus", 2, date_plus);
  connection.execute("PRAGMA case_sensitive_like = ON");
}

}  // namespace tessera::sql
