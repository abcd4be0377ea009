#pragma once

#include <cstdint>
#include <map>
#include <variant>
#include <vector>

#include "frontend/sql/syntax.h"

namespace tessera::frontend::sql {

/// The brackets after a table's name, which PostgreSQL's grammar does not know.
struct WrittenVersion {
  std::variant<std::vector<VersionIndex>, std::vector<DefinedIndex>> indices;
  bool is_union = false;
  SourceSpan span;       // of the brackets
  bool is_read = false;  // true if a version may stand there
};

/// The versions that were taken out of a statement, by the first byte of the table's name.
using Versions = std::map<int64_t, WrittenVersion>;

}  // namespace tessera::frontend::sql
