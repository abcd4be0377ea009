#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "base/overload.h"
#include "frontend/sql/sqlite/writer.h"
#include "frontend/sql/sqlite_text.h"

namespace tessera::frontend::sql::sqlite {

namespace {

std::string item(const FromItem& found);

/// Returns a query with its columns renamed; SQLite has no `AS t(a, b)`. The name of the table in
/// it hides no other table: the query itself cannot see it.
std::string renamed(const std::string& query, const std::vector<Name>& columns) {
  return fmt::format("WITH renamed_columns({}) AS ({}) SELECT * FROM renamed_columns",
                     names(columns), query);
}

std::string alias(const FromItem& found) {
  return found.alias ? " AS " + sqlite_name(found.alias->text) : "";
}

std::string table(const TableReference& table, const FromItem& found) {
  if (!table.version.empty()) {
    throw_error(ErrorKind::unsupported, "a version of {} where SQLite computes", table.table.text);
  }
  const std::string name = sqlite_name(table.table.text);
  if (found.column_aliases.empty()) {
    return name + alias(found);
  }
  return fmt::format("({}){}", renamed("SELECT * FROM " + name, found.column_aliases),
                     alias(found));
}

std::string query(const QueryReference& query, const FromItem& found) {
  if (query.is_lateral) {
    throw_error(ErrorKind::unsupported, "LATERAL");
  }
  const std::string written = select(*query.query);
  return fmt::format(
      "({}){}", found.column_aliases.empty() ? written : renamed(written, found.column_aliases),
      alias(found));
}

/// Returns PostgreSQL's name for the column of a function in FROM: the alias of the column, of the
/// table, or the function's name.
std::string column_of_function(const Call& call, const FromItem& found) {
  if (!found.column_aliases.empty()) {
    return sqlite_name(found.column_aliases[0].text);
  }
  return sqlite_name(found.alias ? found.alias->text : call.function.text);
}

/// Writes a query that counts, because SQLite's library has no generate_series.
std::string generate_series(const Call& call, const FromItem& found) {
  if (call.arguments.size() < 2 || call.arguments.size() > 3) {
    throw_error(ErrorKind::user, "generate_series takes a first and a last value, and a step");
  }
  const std::string low = text(*call.arguments[0], Precedence::value);
  const std::string high = text(*call.arguments[1], Precedence::value);
  const std::string step =
      call.arguments.size() == 3 ? text(*call.arguments[2], Precedence::value) : "1";
  const std::string column = column_of_function(call, found);
  const auto is_within = [&](const std::string& value) {
    return call.arguments.size() == 2
               ? fmt::format("{} <= {}", value, high)
               : fmt::format("({2} > 0 AND {0} <= {1} OR {2} < 0 AND {0} >= {1})", value, high,
                             step);
  };
  return fmt::format(
      "(WITH RECURSIVE series(value) AS (SELECT {0} WHERE {1} UNION ALL SELECT value + {2} FROM "
      "series WHERE {3}) SELECT value AS {4} FROM series){5}",
      low, is_within(low), step, is_within("value + " + step), column,
      found.alias ? alias(found) : " AS " + sqlite_name(call.function.text));
}

std::string function(const FunctionReference& function, const FromItem& found) {
  const auto* call = std::get_if<Call>(&function.call->of);
  if (call != nullptr && call->function.text == "unnest") {
    throw_error(ErrorKind::unsupported,
                "unnest in FROM of what is no tensor there; one of the query around is unnested "
                "among the targets: x IN (SELECT unnest(v))");
  }
  if (function.is_numbered) {
    throw_error(ErrorKind::unsupported, "WITH ORDINALITY of anything but unnest");
  }
  if (call != nullptr && call->function.text == "generate_series") {
    return generate_series(*call, found);
  }
  const bool is_json =
      call != nullptr && (call->function.text == "json_each" || call->function.text == "json_tree");
  if (!is_json || !found.column_aliases.empty()) {
    throw_error(ErrorKind::unsupported, "{} in FROM among scalars",
                call == nullptr ? "this" : call->function.text);
  }
  return text(*function.call) + alias(found);
}

/// Writes an item of FROM, in parentheses if it is a join.
std::string enclosed(const FromItem& found) {
  return std::holds_alternative<JoinReference>(found.of) ? "(" + item(found) + ")" : item(found);
}

std::string_view word_of(JoinReference::Kind kind) {
  switch (kind) {
    case JoinReference::Kind::left:
      return "LEFT JOIN";
    case JoinReference::Kind::right:
      return "RIGHT JOIN";
    case JoinReference::Kind::full:
      return "FULL JOIN";
    case JoinReference::Kind::inner:
    case JoinReference::Kind::cross:  // SQLite's CROSS JOIN forbids it to choose an order
      break;
  }
  return "JOIN";
}

std::string join(const JoinReference& join) {
  // Joins are read from left to right, so only the right side needs parentheses.
  std::string written =
      fmt::format("{} {}{} {}", item(*join.left), join.is_natural ? "NATURAL " : "",
                  word_of(join.kind), enclosed(*join.right));
  if (!join.using_columns.empty()) {
    written += fmt::format(" USING ({})", names(join.using_columns));
  }
  if (join.condition != nullptr) {
    written += " ON " + text(*join.condition);
  }
  return written;
}

std::string item(const FromItem& found) {
  return at_place(found.span, [&] {
    return std::visit(
        Overload{[&](const TableReference& reference) { return table(reference, found); },
                 [&](const QueryReference& reference) { return query(reference, found); },
                 [&](const FunctionReference& reference) { return function(reference, found); },
                 [&](const JoinReference& reference) { return join(reference); }},
        found.of);
  });
}

}  // namespace

std::string from(const std::vector<FromItemPtr>& items) {
  // A comma binds as JOIN does in SQLite, and weaker in PostgreSQL: joins after one get
  // parentheses.
  std::string written;
  for (const FromItemPtr& found : items) {
    written += written.empty() ? item(*found) : ", " + enclosed(*found);
  }
  return written;
}

}  // namespace tessera::frontend::sql::sqlite
