#include "sql/known_names.h"

#include <algorithm>
#include <optional>

#include "base/error.h"

namespace tessera::sql {

namespace {

/// SQLite functions over scalars that no function of ours has the name of.
const std::vector<std::string> kScalarFunctions{"avg",
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

void append_names(std::vector<std::string>& names, const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
}

void sort_unique_names(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

}  // namespace

KnownNames known_names(Executor& executor) {
  KnownNames names;
  try {
    const database::Catalog& catalog = executor.database().catalog();
    for (const std::string& table : catalog.tables()) {
      names.tables.push_back(table.substr(0, table.find('[')));  // without a version
      const std::optional<database::Table> found = catalog.find_table(table);
      for (const database::Column& column : found->columns) {
        names.columns.push_back(column.name);
      }
    }
    append_names(names.tables, catalog.views());
    append_names(names.tables, catalog.versioned_tables());
  } catch (const Error&) {
    // The names serve a hint in an error message, or completion: a second error would help nobody.
  }
  for (const TensorFunction* function : executor.tensor_functions().all()) {
    names.functions.push_back(function->name);
  }
  names.functions.emplace_back("einsum");
  append_names(names.functions, executor.session().functions().names());
  append_names(names.functions, executor.session().aggregates().names());
  append_names(names.functions, kScalarFunctions);
  sort_unique_names(names.tables);
  sort_unique_names(names.columns);
  sort_unique_names(names.functions);
  return names;
}

}  // namespace tessera::sql
