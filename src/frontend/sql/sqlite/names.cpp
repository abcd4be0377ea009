#include <algorithm>
#include <array>
#include <string_view>

#include "frontend/sql/sqlite/writer.h"
#include "frontend/sql/sqlite_text.h"

namespace tessera::frontend::sql {

namespace {

/// SQLite's keywords (sqlite.org/lang_keywords.html, also sqlite3_keyword_name()), and the names of
/// truth values.
constexpr std::array<std::string_view, 149> kKeywords = {"abort",
                                                         "action",
                                                         "add",
                                                         "after",
                                                         "all",
                                                         "alter",
                                                         "always",
                                                         "analyze",
                                                         "and",
                                                         "as",
                                                         "asc",
                                                         "attach",
                                                         "autoincrement",
                                                         "before",
                                                         "begin",
                                                         "between",
                                                         "by",
                                                         "cascade",
                                                         "case",
                                                         "cast",
                                                         "check",
                                                         "collate",
                                                         "column",
                                                         "commit",
                                                         "conflict",
                                                         "constraint",
                                                         "create",
                                                         "cross",
                                                         "current",
                                                         "current_date",
                                                         "current_time",
                                                         "current_timestamp",
                                                         "database",
                                                         "default",
                                                         "deferrable",
                                                         "deferred",
                                                         "delete",
                                                         "desc",
                                                         "detach",
                                                         "distinct",
                                                         "do",
                                                         "drop",
                                                         "each",
                                                         "else",
                                                         "end",
                                                         "escape",
                                                         "except",
                                                         "exclude",
                                                         "exclusive",
                                                         "exists",
                                                         "explain",
                                                         "fail",
                                                         "false",
                                                         "filter",
                                                         "first",
                                                         "following",
                                                         "for",
                                                         "foreign",
                                                         "from",
                                                         "full",
                                                         "generated",
                                                         "glob",
                                                         "group",
                                                         "groups",
                                                         "having",
                                                         "if",
                                                         "ignore",
                                                         "immediate",
                                                         "in",
                                                         "index",
                                                         "indexed",
                                                         "initially",
                                                         "inner",
                                                         "insert",
                                                         "instead",
                                                         "intersect",
                                                         "into",
                                                         "is",
                                                         "isnull",
                                                         "join",
                                                         "key",
                                                         "last",
                                                         "left",
                                                         "like",
                                                         "limit",
                                                         "match",
                                                         "materialized",
                                                         "natural",
                                                         "no",
                                                         "not",
                                                         "nothing",
                                                         "notnull",
                                                         "null",
                                                         "nulls",
                                                         "of",
                                                         "offset",
                                                         "on",
                                                         "or",
                                                         "order",
                                                         "others",
                                                         "outer",
                                                         "over",
                                                         "partition",
                                                         "plan",
                                                         "pragma",
                                                         "preceding",
                                                         "primary",
                                                         "query",
                                                         "raise",
                                                         "range",
                                                         "recursive",
                                                         "references",
                                                         "regexp",
                                                         "reindex",
                                                         "release",
                                                         "rename",
                                                         "replace",
                                                         "restrict",
                                                         "returning",
                                                         "right",
                                                         "rollback",
                                                         "row",
                                                         "rows",
                                                         "savepoint",
                                                         "select",
                                                         "set",
                                                         "table",
                                                         "temp",
                                                         "temporary",
                                                         "then",
                                                         "ties",
                                                         "to",
                                                         "transaction",
                                                         "trigger",
                                                         "true",
                                                         "unbounded",
                                                         "union",
                                                         "unique",
                                                         "update",
                                                         "using",
                                                         "vacuum",
                                                         "values",
                                                         "view",
                                                         "virtual",
                                                         "when",
                                                         "where",
                                                         "window",
                                                         "with",
                                                         "without"};

bool is_plain_word(const std::string& name) {
  const auto is_letter = [](char one) { return (one >= 'a' && one <= 'z') || one == '_'; };
  return !name.empty() && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(),
                     [&](char one) { return is_letter(one) || (one >= '0' && one <= '9'); });
}

std::string in_quotes(const std::string& text, char quote) {
  std::string quoted(1, quote);
  for (const char one : text) {
    quoted.append(one == quote ? 2 : 1, one);
  }
  return quoted + quote;
}

}  // namespace

std::string sqlite_name(const std::string& name) {
  const bool is_keyword = std::binary_search(kKeywords.begin(), kKeywords.end(), name);
  return is_plain_word(name) && !is_keyword ? name : in_quotes(name, '"');
}

namespace sqlite {

std::string text_literal(const std::string& text) {
  return in_quotes(text, '\'');
}

std::string names(const std::vector<Name>& names) {
  std::string text;
  for (const Name& name : names) {
    text += (text.empty() ? "" : ", ") + sqlite_name(name.text);
  }
  return text;
}

}  // namespace sqlite

}  // namespace tessera::frontend::sql
