#pragma once

#include <string>

#include "base/source.h"
#include "database/catalog.h"
#include "database/sqlite.h"
#include "sql/relation.h"

namespace tessera::sql {

/// What is stored in a column of scalars of a relation's values, in SQLite's words: PostgreSQL's
/// words for truth values are 1 and 0. Errors: `user`, naming column and row, where one is no truth
/// value, or no date. `span` is where the values are written.
std::string stored_scalars(database::Connection& connection, const database::Column& column,
                           const std::string& table, const Relation& relation,
                           const RelationColumn& given, SourceSpan span);

}  // namespace tessera::sql
