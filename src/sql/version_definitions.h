#pragma once

#include <optional>
#include <vector>

#include "database/catalog.h"
#include "sql/version_index.h"

namespace tessera::sql {

/// A version that two definitions cover, for an error to name it; nothing if there is none among
/// those that are tried: all whose indices are numbers that either of the two says, or next to one.
std::optional<VersionKey> common_version(const std::vector<frontend::sql::DefinedIndex>& one,
                                         const std::vector<frontend::sql::DefinedIndex>& other);

/// Checks a new definition. Errors: `user`, if it covers a version that another one of the catalog
/// covers, or if the name of an index, where its query says it, is that of a column of a table
/// there.
void check_definition(const frontend::sql::DefineVersions& made, const database::Catalog& catalog);

}  // namespace tessera::sql
