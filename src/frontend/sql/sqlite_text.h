#pragma once

#include <string>

#include "base/error.h"
#include "base/source.h"
#include "frontend/sql/query.h"

namespace tessera::frontend::sql {

/// An error about syntax that SQLite does not have, with its place in the user's text.
class UnsayableError : public Error {
 public:
  UnsayableError(const Error& error, SourceSpan span) : Error(error), span_(span) {}
  /// Returns the place; empty if the user did not write it.
  SourceSpan span() const { return span_; }

 private:
  SourceSpan span_;
};

/// Returns a query in SQLite's SQL, with parentheses and quotes if they are needed. The meaning is
/// SQLite's.
///
/// Throws an UnsayableError, `user` or `unsupported`, for syntax that SQLite does not have (an
/// array, a version, a function in FROM that it does not know).
std::string sqlite_text(const Select& query);
std::string sqlite_text(const Expression& expression);

/// Returns a name as SQLite reads it: in double quotes unless it is a plain word and not one of its
/// keywords.
std::string sqlite_name(const std::string& name);

}  // namespace tessera::frontend::sql
