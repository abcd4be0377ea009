#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sql/query.h"

namespace tessera::sql {

/// Numbers that go to the rows of a relation as a column, by what these rows have already.
struct JoinedColumn {
  RelationColumn column;
  std::string by;                // an expression of the relation's columns in SQLite's words
  std::vector<int64_t> keys;     // its values, no two alike
  std::vector<int64_t> numbers;  // of each; a row with another value has NULL
  std::optional<size_t> replaced = std::nullopt;  // the column that it takes the place of
};

/// The relation with further columns, in the same order.
RelationPtr with_joined_columns(const RelationPtr& relation,
                                const std::vector<JoinedColumn>& joined, QueryCompiler& compiler);

}  // namespace tessera::sql
