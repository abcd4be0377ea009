#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sql/query.h"

namespace tessera::sql {

namespace {

constexpr size_t kShownQueries = 40;

std::vector<RelationColumn> result_columns(const database::Statement& statement) {
  std::vector<RelationColumn> columns;
  for (int64_t column = 0; column < statement.num_columns(); ++column) {
    columns.push_back({statement.column_name(column)});
  }
  return columns;
}

/// Gives columns their keys, no two alike, and lists these.
std::vector<std::string> with_keys(std::vector<RelationColumn>& columns) {
  std::vector<std::string> keys;
  for (RelationColumn& column : columns) {
    column.key = column.name;
    for (int64_t number = 2; std::find(keys.begin(), keys.end(), column.key) != keys.end();
         ++number) {
      column.key = fmt::format("{}:{}", column.name, number);
    }
    keys.push_back(column.key);
  }
  return keys;
}

}  // namespace

RelationPtr QueryCompiler::make_relation(const std::string& sqlite_query,
                                         std::vector<RelationColumn> columns,
                                         const std::set<size_t>& whole) {
  note(sqlite_query);
  const std::string name = new_name();
  for (const size_t column : whole) {
    columns[column].whole_in = name;
  }
  const std::vector<std::string> keys = with_keys(columns);
  auto owned = std::make_shared<const TemporaryTable>(connection(), name, keys, sqlite_query);
  return std::make_shared<const Relation>(Relation{name, std::move(columns), std::move(owned)});
}

RelationPtr QueryCompiler::make_relation(const std::string& sqlite_query) {
  return make_relation(sqlite_query, columns_of(sqlite_query));
}

RelationPtr QueryCompiler::shared(const std::string& sqlite_query,
                                  std::vector<RelationColumn> columns,
                                  const std::set<size_t>& whole, const MakesTable& make) {
  note(sqlite_query);
  const std::vector<std::string> keys = with_keys(columns);
  KeyTables::TablePtr table = key_tables_.find(sqlite_query, keys);
  if (table == nullptr) {
    table = key_tables_.keep(sqlite_query, keys, make(new_name(), keys));
  }
  const std::string name = table->name();
  for (const size_t column : whole) {
    columns[column].whole_in = name;
  }
  return std::make_shared<const Relation>(Relation{name, std::move(columns), std::move(table)});
}

RelationPtr QueryCompiler::shared_relation(const std::string& sqlite_query,
                                           std::vector<RelationColumn> columns,
                                           const std::set<size_t>& whole) {
  return shared(sqlite_query, std::move(columns), whole,
                [&](const std::string& name, const std::vector<std::string>& keys) {
                  return std::make_shared<const TemporaryTable>(connection(), name, keys,
                                                                sqlite_query);
                });
}

RelationPtr QueryCompiler::shared_relation(const std::string& sqlite_query) {
  return shared_relation(sqlite_query, columns_of(sqlite_query));
}

RelationPtr QueryCompiler::shared_numbers(const std::string& sqlite_query) {
  return shared(
      sqlite_query, columns_of(sqlite_query), {},
      [&](const std::string& name, const std::vector<std::string>& keys) {
        std::optional<database::NumberRows> rows =
            keys.size() > database::LentTables::kMostColumns
                ? std::nullopt
                : connection().prepare(sqlite_query).number_rows([this](int64_t num_rows) {
                    return program_.is_written(num_rows);
                  });
        return rows
                   ? std::make_shared<const TemporaryTable>(connection(), name, keys,
                                                            std::move(*rows))
                   : std::make_shared<const TemporaryTable>(connection(), name, keys, sqlite_query);
      });
}

RelationPtr QueryCompiler::shared_numbers(const std::string& sqlite_query,
                                          std::vector<RelationColumn> columns,
                                          const std::set<size_t>& whole,
                                          database::NumberRows rows) {
  return shared(sqlite_query, std::move(columns), whole,
                [&](const std::string& name, const std::vector<std::string>& keys) {
                  return std::make_shared<const TemporaryTable>(connection(), name, keys,
                                                                std::move(rows));
                });
}

void QueryCompiler::note(const std::string& sqlite_query) {
  if (key_queries_.size() < kShownQueries) {
    key_queries_.push_back(sqlite_query);
  }
}

std::vector<RelationColumn> QueryCompiler::columns_of(const std::string& sqlite_query) {
  return result_columns(connection().prepare(sqlite_query));
}

RowQuery QueryCompiler::rows_of(const std::string& sqlite_query, std::vector<RelationPtr> reads) {
  database::Statement statement = connection().prepare(sqlite_query);
  std::vector<RelationColumn> columns = result_columns(statement);
  with_keys(columns);
  return {std::move(reads), std::move(columns), std::move(statement)};
}

}  // namespace tessera::sql
