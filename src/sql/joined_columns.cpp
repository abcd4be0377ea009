#include "sql/joined_columns.h"

#include <utility>

#include <fmt/ranges.h>

#include "frontend/sql/sqlite_text.h"

namespace tessera::sql {

using frontend::sql::sqlite_name;

namespace {

/// A table of keys and their numbers.
RelationPtr table_of(const JoinedColumn& joined, QueryCompiler& compiler) {
  RelationPtr table = compiler.make_relation("SELECT 0 AS joined_key, 0 AS joined_number WHERE 0");
  database::Statement insert = compiler.connection().prepare(
      fmt::format("INSERT INTO temp.{} VALUES (?, ?)", sqlite_name(table->table)));
  for (size_t place = 0; place < joined.keys.size(); ++place) {
    insert.bind(0, joined.keys[place]);
    insert.bind(1, joined.numbers[place]);
    insert.step();
    insert.reset();
  }
  // SQLite knows nothing of the sizes of these tables, and would look through all rows for each.
  // (It takes an index of a column without a type only where the other side, by its sign, has
  // none.)
  compiler.connection().execute(fmt::format("CREATE INDEX temp.{0} ON {1}(joined_key)",
                                            sqlite_name(table->table + "_by_key"),
                                            sqlite_name(table->table)));
  return table;
}

}  // namespace

RelationPtr with_joined_columns(const RelationPtr& relation,
                                const std::vector<JoinedColumn>& joined, QueryCompiler& compiler) {
  std::vector<RelationColumn> columns = relation->columns;
  std::vector<std::string> texts;
  for (const RelationColumn& column : columns) {
    texts.push_back("whole." + sqlite_name(column.key) + " AS " + sqlite_name(column.key));
  }
  std::string from = sqlite_name(relation->table) + " AS whole";
  std::vector<RelationPtr> tables;  // there while they are read
  for (size_t number = 0; number < joined.size(); ++number) {
    const JoinedColumn& one = joined[number];
    tables.push_back(table_of(one, compiler));
    from += fmt::format(" LEFT JOIN {0} AS joined{1} ON joined{1}.joined_key = +whole.{2}",
                        sqlite_name(tables.back()->table), number, one.by);
    const std::string text =
        fmt::format("joined{}.joined_number AS {}", number, sqlite_name(one.column.key));
    if (one.replaced) {
      columns[*one.replaced] = one.column;
      texts[*one.replaced] = text;
    } else {
      columns.push_back(one.column);
      texts.push_back(text);
    }
  }
  return compiler.make_relation(
      fmt::format("SELECT {} FROM {} ORDER BY whole.rowid", fmt::join(texts, ", "), from),
      std::move(columns));
}

}  // namespace tessera::sql
