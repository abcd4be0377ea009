#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "database/database.h"
#include "sql/executor.h"

namespace tessera::cli {

enum class RelationKind : uint8_t { table, view, versions };

/// What a database holds, by name; of one kind only where one is given.
std::string relations_text(database::Database& database, std::optional<RelationKind> kind);

/// The columns and keys of a table, the columns and the text of a view, the definitions of a table
/// with versions. Errors: `user` for a name that is none of them, with what was meant.
std::string relation_text(sql::Executor& executor, const std::string& name);

/// The functions of tensors that SQL adds to those of the language.
std::string functions_text(const sql::Executor& executor);

/// What one of all functions does. Errors: as relation_text().
std::string function_text(const sql::Executor& executor, const std::string& name);

}  // namespace tessera::cli
