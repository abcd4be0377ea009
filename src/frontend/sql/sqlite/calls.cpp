#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "frontend/sql/sqlite/writer.h"
#include "frontend/sql/sqlite_text.h"
#include "frontend/sql/truth_words.h"

namespace tessera::frontend::sql::sqlite {

namespace {

/// PostgreSQL's functions that SQLite has by another name.
const std::map<std::string_view, std::string_view> kOtherNames = {
    {"strpos", "instr"},  {"position", "instr"},
    {"btrim", "trim"},    {"char_length", "length"},
    {"chr", "char"},      {"character_length", "length"},
    {"ascii", "unicode"}, {"string_agg", "group_concat"},
    {"bool_and", "min"},  {"every", "min"},
    {"bool_or", "max"},   {"substring", "substr"}};

/// Aggregates whose result does not depend on the order of rows.
constexpr std::array<std::string_view, 11> kWithoutOrder = {
    "sum",      "total",   "count", "min",    "max",     "avg",
    "bool_and", "bool_or", "every", "stddev", "variance"};

/// The formats of strftime() for the fields of EXTRACT.
const std::map<std::string_view, std::string_view> kFields = {
    {"year", "%Y"},   {"month", "%m"}, {"day", "%d"}, {"hour", "%H"}, {"minute", "%M"},
    {"second", "%S"}, {"epoch", "%s"}, {"dow", "%w"}, {"doy", "%j"}};

std::string extract(const Call& call) {
  const auto* field = std::get_if<StringLiteral>(&call.arguments.at(0)->of);
  const auto format = field == nullptr ? kFields.end() : kFields.find(field->text);
  if (format == kFields.end()) {
    throw_error(ErrorKind::unsupported, "EXTRACT of {}",
                field == nullptr ? "a field that is no constant" : field->text);
  }
  return fmt::format("CAST(strftime('{}', {}) AS INTEGER)", format->second,
                     text(*call.arguments.at(1)));
}

/// Writes concat, which ignores NULL in PostgreSQL.
std::string concat(const Call& call) {
  std::string joined;
  for (const ExpressionPtr& argument : call.arguments) {
    joined += fmt::format("{}coalesce({}, '')", joined.empty() ? "" : " || ", text(*argument));
  }
  return "(" + joined + ")";
}

/// Writes GREATEST and LEAST, which ignore NULLs while SQLite's max and min do not: another
/// argument replaces a NULL one.
std::string extreme(const Call& call) {
  const size_t num_arguments = call.arguments.size();
  if (num_arguments == 1) {
    return text(*call.arguments[0], Precedence::value);  // max and min of one are aggregates
  }
  std::string joined;
  for (size_t first = 0; first < num_arguments; ++first) {
    std::string others;
    for (size_t place = 0; place < num_arguments; ++place) {
      others += (place == 0 ? "" : ", ") + text(*call.arguments[(first + place) % num_arguments]);
    }
    const bool is_number = std::holds_alternative<NumberLiteral>(call.arguments[first]->of);
    joined += (first == 0 ? "" : ", ") +
              (is_number ? text(*call.arguments[first]) : fmt::format("coalesce({})", others));
  }
  return fmt::format("{}({})", call.function.text == "greatest" ? "max" : "min", joined);
}

/// Returns the number of these digits; nothing if a character is no digit.
std::optional<int64_t> digits(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && text[0] != '-';
  return is_number ? std::optional(number) : std::nullopt;
}

/// True for a date as written, or `today`.
bool is_date(std::string_view text) {
  if (text == "now") {
    return true;
  }
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') {
    return false;
  }
  const std::optional<int64_t> year = digits(text.substr(0, 4));
  const std::optional<int64_t> month = digits(text.substr(5, 2));
  const std::optional<int64_t> day = digits(text.substr(8, 2));
  if (!year || !month || !day || *month < 1 || *month > 12) {
    return false;
  }
  constexpr std::array<int64_t, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = *year % 4 == 0 && (*year % 100 != 0 || *year % 400 == 0);
  const int64_t num_days =
      kDays.at(static_cast<size_t>(*month - 1)) + (is_leap && *month == 2 ? 1 : 0);
  return *day >= 1 && *day <= num_days;
}

/// Returns `100.0` for round(x, -2), which SQLite would read as round(x, 0).
std::optional<std::string> power_rounded_to(const Call& call) {
  if (call.function.text != "round" || call.arguments.size() != 2) {
    return std::nullopt;
  }
  const auto* const sign = std::get_if<Operation>(&call.arguments[1]->of);
  const bool is_negated = sign != nullptr && sign->symbol == "-" && sign->operands.size() == 1;
  const auto* const number =
      std::get_if<NumberLiteral>(&(is_negated ? sign->operands[0] : call.arguments[1])->of);
  if (number == nullptr || (!is_negated && !number->text.starts_with('-'))) {
    return std::nullopt;
  }
  const std::optional<int64_t> places =
      digits(std::string_view(number->text).substr(is_negated ? 0 : 1));
  constexpr int64_t kMostPlaces = 300;
  if (!places || *places > kMostPlaces) {
    return std::nullopt;
  }
  return "1" + std::string(static_cast<size_t>(*places), '0') + ".0";
}

bool is_clock(const std::string& name) {
  return name == "current_date" || name == "current_time" || name == "current_timestamp";
}

std::string upper_case(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char one) { return static_cast<char>(one >= 'a' ? one - 'a' + 'A' : one); });
  return word;
}

/// Returns the arguments for SQLite, which takes one with DISTINCT: string_agg may omit the
/// separator if it is SQLite's default.
std::vector<ExpressionPtr> arguments_of(const Call& call) {
  if (call.is_distinct && call.function.text == "string_agg" && call.arguments.size() == 2) {
    const auto* separator = std::get_if<StringLiteral>(&call.arguments[1]->of);
    if (separator != nullptr && separator->text == ",") {
      return {call.arguments[0]};
    }
  }
  return call.arguments;
}

void check_order(const Call& call) {
  const bool is_free = std::find(kWithoutOrder.begin(), kWithoutOrder.end(), call.function.text) !=
                       kWithoutOrder.end();
  if (!call.order.empty() && !is_free) {
    throw_error(ErrorKind::unsupported, "ORDER BY among the arguments of {}", call.function.text);
  }
}

std::string over(const Window& found) {
  const bool is_name = found.name && found.partition.empty() && found.order.empty() && !found.frame;
  return " OVER " + (is_name ? sqlite_name(found.name->text) : window(found));
}

std::string bound(const FrameBound& bound) {
  switch (bound.kind) {
    case FrameBound::Kind::unbounded_preceding:
      return "UNBOUNDED PRECEDING";
    case FrameBound::Kind::preceding:
      return text(*bound.offset, Precedence::value) + " PRECEDING";
    case FrameBound::Kind::current_row:
      return "CURRENT ROW";
    case FrameBound::Kind::following:
      return text(*bound.offset, Precedence::value) + " FOLLOWING";
    case FrameBound::Kind::unbounded_following:
      break;
  }
  return "UNBOUNDED FOLLOWING";
}

std::string frame(const WindowFrame& frame) {
  constexpr std::array<std::string_view, 3> kUnits = {"ROWS", "RANGE", "GROUPS"};
  constexpr std::array<std::string_view, 4> kExclusions = {"", " EXCLUDE CURRENT ROW",
                                                           " EXCLUDE GROUP", " EXCLUDE TIES"};
  return fmt::format("{} BETWEEN {} AND {}{}", kUnits.at(static_cast<size_t>(frame.unit)),
                     bound(frame.start), bound(frame.end),
                     kExclusions.at(static_cast<size_t>(frame.exclusion)));
}

/// True if SQLite (3.40) merges rows that the FILTER leaves out: min and max over frames with a
/// moving begin.
bool forgets_filter(const Call& call, std::string_view sqlites) {
  return call.filter != nullptr && call.over != nullptr && call.arguments.size() == 1 &&
         (sqlites == "min" || sqlites == "max");
}

std::string to_boolean(const Expression& operand) {
  const auto* const literal = std::get_if<StringLiteral>(&operand.of);
  if (literal != nullptr) {
    const std::optional<bool> truth = truth_in(literal->text);
    TESSERA_USER_CHECK(truth, "'{}' is no truth value, such as 'true'", literal->text);
    return *truth ? "TRUE" : "FALSE";
  }
  return fmt::format("({} <> 0)", text(operand, Precedence::bits));
}

/// Writes `'Infinity'::float8` and `'NaN'::float8` for SQLite: a number that is too large, and a
/// call of float_of() (sql/postgres_functions.h).
std::optional<std::string> written_number(const Cast& cast) {
  const auto* const literal = std::get_if<StringLiteral>(&cast.operand->of);
  const std::string& type = cast.type.name.text;
  if (literal == nullptr || (type != "float4" && type != "float8" && type != "numeric")) {
    return std::nullopt;
  }
  static const std::map<std::string_view, std::string_view> words = {
      {"INFINITY", "9e999"},     {"INF", "9e999"},     {"+INFINITY", "9e999"},
      {"+INF", "9e999"},         {"-INF", "(-9e999)"}, {"-INFINITY", "(-9e999)"},
      {"NAN", "float_of('NaN')"}};
  const auto word = words.find(upper_case(literal->text));
  return word == words.end() ? std::nullopt : std::optional<std::string>(word->second);
}

}  // namespace

std::string window(const Window& window) {
  std::vector<std::string> parts;
  if (window.name) {
    parts.push_back(sqlite_name(window.name->text));
  }
  if (!window.partition.empty()) {
    parts.push_back("PARTITION BY " + list(window.partition));
  }
  if (!window.order.empty()) {
    parts.push_back("ORDER BY " + order_by(window.order));
  }
  if (window.frame) {
    parts.push_back(frame(*window.frame));
  }
  return fmt::format("({})", fmt::join(parts, " "));
}

std::string order_by(const std::vector<OrderKey>& keys) {
  std::string joined;
  for (const OrderKey& key : keys) {
    joined += (joined.empty() ? "" : ", ") + text(*key.expression);
    joined += key.is_descending ? " DESC" : "";
    if (key.nulls_first) {
      joined += *key.nulls_first ? " NULLS FIRST" : " NULLS LAST";
    }
  }
  return joined;
}

std::string call(const Call& call) {
  const std::string& name = call.function.text;
  if (is_clock(name) && call.arguments.empty()) {
    return upper_case(name);
  }
  if ((name == "extract" || name == "date_part") && call.arguments.size() == 2) {
    return extract(call);
  }
  if (name == "concat" && !call.arguments.empty()) {
    return concat(call);
  }
  if ((name == "greatest" || name == "least") && !call.arguments.empty()) {
    return extreme(call);
  }
  if (name == "now" && call.arguments.empty()) {
    return "CURRENT_TIMESTAMP";
  }
  if (const std::optional<std::string> power = power_rounded_to(call)) {
    return fmt::format("(round({} / {}) * {})", text(*call.arguments[0], Precedence::value), *power,
                       *power);
  }
  check_order(call);
  const auto other = kOtherNames.find(name);
  const std::string sqlites =
      other == kOtherNames.end() ? sqlite_name(name) : std::string(other->second);
  if (forgets_filter(call, sqlites)) {
    return fmt::format("{}(CASE WHEN {} THEN {} END){}", sqlites, text(*call.filter),
                       text(*call.arguments[0]), over(*call.over));
  }
  std::string written = fmt::format("{}({}{})", sqlites, call.is_distinct ? "DISTINCT " : "",
                                    list(arguments_of(call)));
  if (call.filter != nullptr) {
    written += fmt::format(" FILTER (WHERE {})", text(*call.filter));
  }
  return call.over == nullptr ? written : written + over(*call.over);
}

std::string cast(const Cast& cast) {
  static const std::map<std::string_view, std::string_view> types = {
      {"int2", "INTEGER"}, {"int4", "INTEGER"},    {"int8", "INTEGER"}, {"float4", "REAL"},
      {"float8", "REAL"},  {"numeric", "NUMERIC"}, {"text", "TEXT"},    {"varchar", "TEXT"},
      {"bpchar", "TEXT"},  {"char", "TEXT"},       {"bytea", "BLOB"}};
  static const std::map<std::string_view, std::string_view> clocks = {
      {"date", "date"}, {"time", "time"}, {"timestamp", "datetime"}};
  const std::string& type = cast.type.name.text;
  if (cast.type.extents.empty()) {
    if (type == "bool") {
      return to_boolean(*cast.operand);
    }
    if (const std::optional<std::string> number = written_number(cast)) {
      return *number;
    }
    if (type == "numeric" && cast.type.modifiers.size() == 2) {
      return fmt::format("round(CAST({} AS NUMERIC), {})", text(*cast.operand),
                         cast.type.modifiers[1]);
    }
    if (const auto word = types.find(type); word != types.end()) {
      return fmt::format("CAST({} AS {})", text(*cast.operand), word->second);
    }
    const auto* const literal = std::get_if<StringLiteral>(&cast.operand->of);
    if (type == "date" && literal != nullptr && !is_date(literal->text)) {
      throw_error(ErrorKind::user, "'{}' is no date, such as '2026-11-25'", literal->text);
    }
    if (const auto function = clocks.find(type); function != clocks.end()) {
      return fmt::format("{}({})", function->second, text(*cast.operand));
    }
  }
  throw_error(ErrorKind::unsupported, "a cast to {}{} among scalars", type,
              cast.type.extents.empty() ? "" : "[]");
}

}  // namespace tessera::frontend::sql::sqlite
