#include "sql/equal_tensors.h"

#include <utility>

#include <fmt/format.h>

#include "frontend/sql/sqlite_text.h"
#include "sql/joined_columns.h"
#include "sql/row_bytes.h"

namespace tessera::sql {

using frontend::sql::sqlite_name;

RelationPtr with_equal_rows(const RelationPtr& relation, const std::vector<size_t>& columns,
                            QueryCompiler& compiler) {
  std::vector<std::string> names;
  for (const size_t column : columns) {
    names.push_back(relation->columns[column].tensor->name);
  }
  compiler.program().keep(names, compiler.control());
  std::vector<JoinedColumn> joined;
  for (const size_t column : columns) {
    const RelationColumn& found = relation->columns[column];
    const std::string name = sqlite_name(found.key);
    const std::vector<int64_t> rows = compiler.connection().integers(
        fmt::format("SELECT DISTINCT {0} FROM {1} WHERE {0} IS NOT NULL ORDER BY {0}", name,
                    sqlite_name(relation->table)));
    const store::TileSource& source = compiler.program().source(found.tensor->name);
    joined.push_back({found, name, rows, equal_rows(rows, source, *found.tensor), column});
    joined.back().column.is_same_if_equal = true;
  }
  return with_joined_columns(relation, joined, compiler);
}

RelationPtr with_equal_rows(const RelationPtr& relation, QueryCompiler& compiler) {
  std::vector<size_t> columns;
  for (size_t column = 0; column < relation->columns.size(); ++column) {
    if (relation->columns[column].tensor && !relation->columns[column].is_same_if_equal) {
      columns.push_back(column);
    }
  }
  return columns.empty() ? relation : with_equal_rows(relation, columns, compiler);
}

}  // namespace tessera::sql
