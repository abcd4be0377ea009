#include "sql/joined_columns.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/ranges.h>

#include "frontend/sql/sqlite_text.h"

namespace tessera::sql {

using frontend::sql::sqlite_name;

namespace {

/// The number of each key, NULL of all else.
database::LentFunction numbers_by_key(const JoinedColumn& joined, QueryCompiler& compiler) {
  std::vector<std::pair<int64_t, int64_t>> numbers;
  numbers.reserve(joined.keys.size());
  for (size_t place = 0; place < joined.keys.size(); ++place) {
    numbers.emplace_back(joined.keys[place], joined.numbers[place]);
  }
  std::sort(numbers.begin(), numbers.end());
  return {compiler.connection(),
          [numbers = std::move(numbers)](const database::Value& value) -> database::Value {
            const auto* const key = std::get_if<int64_t>(&value);
            if (key == nullptr) {
              return {};
            }
            const auto found =
                std::lower_bound(numbers.begin(), numbers.end(), std::pair(*key, INT64_MIN));
            return found == numbers.end() || found->first != *key ? database::Value()
                                                                  : found->second;
          }};
}

}  // namespace

RelationPtr with_joined_columns(const RelationPtr& relation,
                                const std::vector<JoinedColumn>& joined, QueryCompiler& compiler) {
  std::vector<RelationColumn> columns = relation->columns;
  std::vector<std::string> texts;
  for (const RelationColumn& column : columns) {
    texts.push_back("whole." + sqlite_name(column.key) + " AS " + sqlite_name(column.key));
  }
  std::vector<database::LentFunction> functions;  // there while they are read
  for (const JoinedColumn& one : joined) {
    functions.push_back(numbers_by_key(one, compiler));
    const std::string text =
        functions.back().call("whole." + one.by) + " AS " + sqlite_name(one.column.key);
    if (one.replaced) {
      columns[*one.replaced] = one.column;
      texts[*one.replaced] = text;
    } else {
      columns.push_back(one.column);
      texts.push_back(text);
    }
  }
  return compiler.make_relation(fmt::format("SELECT {} FROM {} AS whole ORDER BY whole.rowid",
                                            fmt::join(texts, ", "), sqlite_name(relation->table)),
                                std::move(columns));
}

}  // namespace tessera::sql
