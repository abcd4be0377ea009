#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "database/database.h"
#include "sql/executor.h"

namespace tessera::cli {

enum class RelationKind : uint8_t { table, view, versions };

/// Lists the relations of a database, by name; only those of one kind if it is given.
std::string relations_text(database::Database& database, std::optional<RelationKind> kind);

/// Describes the columns and keys of a table, the columns and the text of a view, or the
/// definitions of a table with versions. Errors: `user` for a name that is none of them, with the
/// one that was probably meant.
std::string relation_text(sql::Executor& executor, const std::string& name);

/// Lists the functions of tensors that SQL adds to those of the language.
std::string functions_text(const sql::Executor& executor);

/// Describes one of all functions. Errors: as relation_text().
std::string function_text(const sql::Executor& executor, const std::string& name);

}  // namespace tessera::cli
