#include "cli/sql/known_names.h"

#include <algorithm>
#include <optional>

#include "base/error.h"

namespace tessera::cli {

namespace {

/// SQLite's functions over scalars, without the functions of this program.
const std::vector<std::string> kOfSqlite{"avg",
                                         "char_length",
                                         "coalesce",
                                         "concat",
                                         "count",
                                         "dense_rank",
                                         "generate_series",
                                         "greatest",
                                         "group_concat",
                                         "lag",
                                         "lead",
                                         "least",
                                         "length",
                                         "left",
                                         "lower",
                                         "lpad",
                                         "ltrim",
                                         "median",
                                         "nullif",
                                         "ntile",
                                         "rank",
                                         "repeat",
                                         "replace",
                                         "reverse",
                                         "right",
                                         "row_number",
                                         "rpad",
                                         "rtrim",
                                         "split_part",
                                         "starts_with",
                                         "stddev",
                                         "stddev_pop",
                                         "string_agg",
                                         "strftime",
                                         "substr",
                                         "substring",
                                         "total",
                                         "trim",
                                         "upper",
                                         "var_pop",
                                         "variance"};

void append(std::vector<std::string>& names, const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
}

void sort_unique(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

}  // namespace

sql::KnownNames known_names(sql::Executor& executor) {
  sql::KnownNames names;
  try {
    const database::Catalog& catalog = executor.database().catalog();
    for (const std::string& table : catalog.tables()) {
      names.tables.push_back(table.substr(0, table.find('[')));  // without a version
      const std::optional<database::Table> found = catalog.find_table(table);
      for (const database::Column& column : found->columns) {
        names.columns.push_back(column.name);
      }
    }
    append(names.tables, catalog.views());
    append(names.tables, catalog.versioned_tables());
  } catch (const Error&) {
    // The caller has an error to report already, or wants no more than possible completions.
  }
  for (const sql::TensorFunction* function : executor.tensor_functions().all()) {
    names.functions.push_back(function->name);
  }
  names.functions.emplace_back("einsum");
  append(names.functions, executor.session().functions().names());
  append(names.functions, executor.session().aggregates().names());
  append(names.functions, kOfSqlite);
  sort_unique(names.tables);
  sort_unique(names.columns);
  sort_unique(names.functions);
  return names;
}

}  // namespace tessera::cli
