#include <fmt/format.h>

#include "base/error.h"
#include "frontend/sql/sqlite/writer.h"
#include "frontend/sql/sqlite_text.h"

namespace tessera::frontend::sql {

namespace sqlite {

namespace {

std::string with(const Select& select) {
  if (select.with.empty()) {
    return "";
  }
  std::string tables;
  for (const CommonTable& table : select.with) {
    tables += tables.empty() ? "" : ", ";
    tables += sqlite_name(table.name.text);
    tables += table.columns.empty() ? "" : fmt::format("({})", names(table.columns));
    tables += fmt::format(" AS ({})", sqlite::select(*table.query));
  }
  return fmt::format("WITH {}{} ", select.is_recursive ? "RECURSIVE " : "", tables);
}

std::string rows(const std::vector<std::vector<ExpressionPtr>>& values) {
  std::string written;
  for (const std::vector<ExpressionPtr>& row : values) {
    written += fmt::format("{}({})", written.empty() ? "VALUES " : ", ", list(row));
  }
  return written;
}

std::string targets(const std::vector<Target>& targets) {
  std::string written;
  for (const Target& target : targets) {
    written += (written.empty() ? "" : ", ") + text(*target.expression);
    written += target.alias ? " AS " + sqlite_name(target.alias->text) : "";
  }
  return written;
}

std::string windows(const std::vector<NamedWindow>& windows) {
  std::string written;
  for (const NamedWindow& found : windows) {
    written += written.empty() ? " WINDOW " : ", ";
    written += fmt::format("{} AS {}", sqlite_name(found.name.text), window(found.window));
  }
  return written;
}

std::string one_select(const Select& select) {
  std::string written = select.is_distinct ? "SELECT DISTINCT " : "SELECT ";
  written += targets(select.targets);
  if (!select.from.empty()) {
    written += " FROM " + from(select.from);
  }
  if (select.where != nullptr) {
    written += " WHERE " + text(*select.where);
  }
  if (!select.group_by.empty()) {
    written += " GROUP BY " + list(select.group_by);
  }
  if (select.having != nullptr) {
    written += " HAVING " + text(*select.having);
  }
  return written + windows(select.windows);
}

bool has_tail(const Select& select) {
  return !select.order.empty() || select.limit != nullptr || select.offset != nullptr;
}

/// Writes an operand of a set operation: SQLite allows no parentheses around it, and reads several
/// operations from left to right with equal precedence.
std::string operand(const Select& select, bool is_left) {
  const bool is_operation = select.operation != Select::SetOperation::none;
  const bool stands_bare = select.with.empty() && !has_tail(select) && (is_left || !is_operation);
  const std::string written = sqlite::select(select);
  return stands_bare ? written : fmt::format("SELECT * FROM ({})", written);
}

std::string operation(const Select& select) {
  const auto word = [&]() -> std::string {
    switch (select.operation) {
      case Select::SetOperation::union_:
        return select.is_all ? "UNION ALL" : "UNION";
      case Select::SetOperation::intersect:
        return "INTERSECT";
      case Select::SetOperation::except:
      case Select::SetOperation::none:
        break;
    }
    return "EXCEPT";
  }();
  if (select.is_all && select.operation != Select::SetOperation::union_) {
    throw_error(ErrorKind::unsupported, "{} ALL", word);
  }
  return fmt::format("{} {} {}", operand(*select.left, true), word, operand(*select.right, false));
}

std::string core(const Select& select) {
  if (select.operation != Select::SetOperation::none) {
    return operation(select);
  }
  if (select.values.empty()) {
    return one_select(select);
  }
  // VALUES takes no ORDER BY or LIMIT.
  const std::string written = rows(select.values);
  return has_tail(select) ? fmt::format("SELECT * FROM ({})", written) : written;
}

}  // namespace

std::string select(const Select& select) {
  std::string written = at_place(select.span, [&] { return with(select) + core(select); });
  if (!select.order.empty()) {
    written += " ORDER BY " + order_by(select.order);
  }
  if (select.limit != nullptr || select.offset != nullptr) {
    written += " LIMIT " + (select.limit == nullptr ? "-1" : text(*select.limit));
  }
  if (select.offset != nullptr) {
    written += " OFFSET " + text(*select.offset);
  }
  return written;
}

}  // namespace sqlite

std::string sqlite_text(const Select& query) {
  return sqlite::select(query);
}

std::string sqlite_text(const Expression& expression) {
  return sqlite::text(expression);
}

}  // namespace tessera::frontend::sql
