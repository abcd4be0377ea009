#include "sql/foreign_functions.h"

#include <map>

namespace tessera::sql {

namespace {

constexpr std::string_view kPattern =
    "write LIKE for a pattern, and replace(s, 'old', 'new') for a text";
constexpr std::string_view kHash = "no hash is built: COPY it from a file";
constexpr std::string_view kCovariance = "write avg(x * y) - avg(x) * avg(y)";
constexpr std::string_view kFormat =
    "write strftime('%Y-%m', d) for a date, and printf('%.2f', x) for a number";
constexpr std::string_view kQuantile = "median(x) is built; other quantiles are rows by ORDER BY";

const std::map<std::string_view, std::string_view>& instead() {
  static const std::map<std::string_view, std::string_view> words{
      {"age", "write d - e, a number of days"},
      {"array_length", "write cardinality(v)"},
      {"array_to_string", "write string_agg(x, ',') of the rows of unnest(v)"},
      {"concat_ws", "write a || ', ' || b"},
      {"corr", "write (avg(x * y) - avg(x) * avg(y)) / (stddev_pop(x) * stddev_pop(y))"},
      {"covar_pop", kCovariance},
      {"covar_samp", kCovariance},
      {"date_trunc", "write date(d, 'start of month') or date(d, 'start of year')"},
      {"div", "write a / b, which is whole for integers"},
      {"gcd", "write it as WITH RECURSIVE: (a, b) becomes (b, a % b) until b is 0"},
      {"gen_random_uuid", "write lower(hex(randomblob(16)))"},
      {"initcap", "write upper(left(s, 1)) || lower(substr(s, 2))"},
      {"isfinite", "a date is always finite"},
      {"lcm", "write a / g * b, where g is their greatest common divisor"},
      {"make_date", "write printf('%04d-%02d-%02d', year, month, day)::date"},
      {"md5", kHash},
      {"mode", "group by the value, and take the first row by ORDER BY count(*) DESC"},
      {"octet_length", "write length(s::bytea)"},
      {"overlay", "write left(s, 2) || 'new' || substr(s, 6)"},
      {"percentile_cont", kQuantile},
      {"percentile_disc", kQuantile},
      {"regexp_match", kPattern},
      {"regexp_matches", kPattern},
      {"regexp_replace", kPattern},
      {"regexp_split_to_table", "write split_part(s, ',', n)"},
      {"regr_slope", "write (avg(x * y) - avg(x) * avg(y)) / var_pop(x)"},
      {"setseed", "all random numbers follow one seed, which the session is given"},
      {"sha256", kHash},
      {"string_to_array", "write split_part(s, ',', n) for one of its parts"},
      {"to_char", kFormat},
      {"to_date", "write s::date for a text such as '2026-11-25'"},
      {"to_number", "write s::float8"},
      {"translate", "write replace(s, 'a', 'b'), once for each letter"},
      {"width_bucket", "write floor((x - low) / width) + 1"}};
  return words;
}

}  // namespace

std::string_view instead_of(std::string_view function) {
  const auto known = instead().find(function);
  return known == instead().end() ? std::string_view() : known->second;
}

}  // namespace tessera::sql
