#include "sql/version_index.h"

#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/overload.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

constexpr size_t kMostVersions = 10'000'000;  // of one reference

[[noreturn]] void fail_index(const std::string& text) {
  throw_error(ErrorKind::user, "the index {} of a version is no whole number", text);
}

int64_t combined(const std::string& symbol, int64_t one, int64_t other) {
  int64_t result = 0;
  bool overflows = false;
  if (symbol == "+") {
    overflows = __builtin_add_overflow(one, other, &result);
  } else if (symbol == "-") {
    overflows = __builtin_sub_overflow(one, other, &result);
  } else if (symbol == "*") {
    overflows = __builtin_mul_overflow(one, other, &result);
  } else if ((symbol == "/" || symbol == "%") && other != 0 && other != -1) {
    result = symbol == "/" ? one / other : one % other;
  } else {
    fail_index(fmt::format("{} {} {}", one, symbol, other));
  }
  TESSERA_USER_CHECK(!overflows, "the index {} {} {} of a version passes 64 bits", one, symbol,
                     other);
  return result;
}

void add_versions(const TableReference& table, const IndexValues& values, VersionKey& key,
                  std::vector<VersionKey>& found) {
  if (key.size() == table.version.size()) {
    TESSERA_USER_CHECK(found.size() < kMostVersions, "more than {} versions of {} at once",
                       kMostVersions, table.table.text);
    found.push_back(key);
    return;
  }
  const VersionIndex& index = table.version[key.size()];
  TESSERA_USER_CHECK(!index.is_range || index.high, "the range of versions of {} has no end",
                     table.table.text);
  const int64_t low = index_value(*index.low, values);
  const int64_t high = index.is_range ? index_value(*index.high, values) : low;
  for (int64_t value = low; value <= high; ++value) {
    IndexValues inner = values;
    if (index.name) {
      inner[index.name->text] = value;
    }
    key.push_back(value);
    add_versions(table, inner, key, found);
    key.pop_back();
  }
}

}  // namespace

int64_t index_value(const Expression& expression, const IndexValues& values) {
  return std::visit(Overload{[&](const NumberLiteral& node) -> int64_t {
                               if (!node.is_integer) {
                                 fail_index(node.text);
                               }
                               return std::stoll(node.text);
                             },
                             [&](const ColumnReference& node) -> int64_t {
                               const auto found = values.find(node.column.text);
                               TESSERA_USER_CHECK(found != values.end() && !node.table,
                                                  "there is no index {} here", node.column.text);
                               return found->second;
                             },
                             [&](const Operation& node) -> int64_t {
                               if (node.operands.size() == 1) {
                                 const int64_t value = index_value(*node.operands[0], values);
                                 return node.symbol == "-" ? combined("-", 0, value) : value;
                               }
                               return combined(node.symbol, index_value(*node.operands[0], values),
                                               index_value(*node.operands[1], values));
                             },
                             [&](const auto&) -> int64_t { fail_index(sqlite_text(expression)); }},
                    expression.of);
}

std::vector<VersionKey> versions_of(const TableReference& table, const IndexValues& values) {
  std::vector<VersionKey> found;
  VersionKey key;
  add_versions(table, values, key, found);
  return found;
}

std::optional<IndexValues> match(const std::vector<DefinedIndex>& indices, const VersionKey& key) {
  if (indices.size() != key.size()) {
    return std::nullopt;
  }
  IndexValues values;
  for (size_t place = 0; place < key.size(); ++place) {
    const DefinedIndex& index = indices[place];
    const int64_t value = key[place];
    if (!index.name && !index.low) {
      return std::nullopt;
    }
    if (index.low) {
      const int64_t low = index_value(*index.low, values);
      const bool is_inside =
          index.is_range
              ? low <= value && (!index.high || value <= index_value(*index.high, values))
              : low == value;
      if (!is_inside) {
        return std::nullopt;
      }
    } else if (values.count(index.name->text) != 0 && values.at(index.name->text) != value) {
      return std::nullopt;  // `[i]` again
    }
    if (index.name) {
      values[index.name->text] = value;
    }
  }
  return values;
}

namespace {

Rewrites rewrites_of(const IndexValues& values) {
  Rewrites rewrites;
  rewrites.select = [&](const SelectPtr& inner) { return with_values(inner, values); };
  rewrites.expression = [&](const ExpressionPtr& expression) -> ExpressionPtr {
    const auto* const column = std::get_if<ColumnReference>(&expression->of);
    const auto found =
        column == nullptr || column->table ? values.end() : values.find(column->column.text);
    if (found == values.end()) {
      return nullptr;
    }
    const int64_t value = found->second;
    const ExpressionPtr number = make_expression(
        NumberLiteral{std::to_string(value < 0 ? -value : value), true}, expression->span);
    return value < 0 ? make_expression(Operation{"-", {number}}, expression->span) : number;
  };
  return rewrites;
}

}  // namespace

SelectPtr with_values(const SelectPtr& query, const IndexValues& values) {
  return rewrite(query, rewrites_of(values));
}

TableReference with_values(const TableReference& table, const IndexValues& values) {
  const Rewrites rewrites = rewrites_of(values);
  TableReference other = table;
  for (VersionIndex& index : other.version) {
    index.low = rewrite(index.low, rewrites);
    index.high = index.high ? rewrite(index.high, rewrites) : nullptr;
  }
  return other;
}

}  // namespace tessera::sql
