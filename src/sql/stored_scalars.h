#pragma once

#include <string>

#include "base/source.h"
#include "database/catalog.h"
#include "database/sqlite.h"
#include "sql/relation.h"

namespace tessera::sql {

/// Notes which columns of a table of the database may hold NaN. A column of floats has a place for
/// it once one was stored there.
void know_nan_columns(database::Connection& connection, const std::string& table,
                      Relation& relation);

/// What is stored in a column of scalars of a relation's values, in SQLite's words: PostgreSQL's
/// words for truth values are 1 and 0, and `Infinity` is a float. Errors: `user`, naming column and
/// row, where one is no truth value, no date or no float. `span` is where the values are written.
std::string stored_scalars(database::Connection& connection, const database::Column& column,
                           const std::string& table, const Relation& relation,
                           const RelationColumn& given, SourceSpan span);

/// Says why SQLite refuses to store a relation's values. Errors: `user`, naming column and row,
/// where the column is one of integers and a value is none.
void refuse_no_integers(database::Connection& connection, const database::Column& column,
                        const std::string& table, const Relation& relation,
                        const RelationColumn& given, SourceSpan span);

}  // namespace tessera::sql
