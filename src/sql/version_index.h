#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontend/sql/syntax.h"
#include "program/versions/version_key.h"

namespace tessera::sql {

/// What indices of versions are in one version: `i` is 3.
using IndexValues = std::map<std::string, int64_t>;
using program::version_name;
using program::VersionKey;

/// The whole number that an expression of numbers and indices is. Errors: `user`, where it is none.
int64_t index_value(const frontend::sql::Expression& expression, const IndexValues& values);

/// Every version that a reference means, in order; several where it is a range. An index of a later
/// range may depend on an earlier one by its name. Errors: `user`, where a range has no end or ends
/// before it begins.
std::vector<VersionKey> versions_of(const frontend::sql::TableReference& table,
                                    const IndexValues& values);

/// What a definition's indices are in a version; nothing where it does not cover it.
std::optional<IndexValues> match(const std::vector<frontend::sql::DefinedIndex>& indices,
                                 const VersionKey& key);

/// A query with its indices replaced by their values.
frontend::sql::SelectPtr with_values(const frontend::sql::SelectPtr& query,
                                     const IndexValues& values);
/// The same of a reference.
frontend::sql::TableReference with_values(const frontend::sql::TableReference& table,
                                          const IndexValues& values);

}  // namespace tessera::sql
