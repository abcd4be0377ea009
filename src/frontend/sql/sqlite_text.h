#pragma once

#include <string>

#include "base/error.h"
#include "base/source.h"
#include "frontend/sql/query.h"

namespace tessera::frontend::sql {

/// What SQLite cannot say, and where it stands in the user's text.
class UnsayableError : public Error {
 public:
  UnsayableError(const Error& error, SourceSpan span) : Error(error), span_(span) {}
  /// Empty where it was not written.
  SourceSpan span() const { return span_; }

 private:
  SourceSpan span_;
};

/// A query in SQLite's SQL: parentheses where they are needed, names quoted where they have to be.
/// Meaning is SQLite's.
///
/// Throws an UnsayableError, `user` or `unsupported`, for what SQLite cannot say (an array, a
/// version, a function in FROM that it has not).
std::string sqlite_text(const Select& query);
std::string sqlite_text(const Expression& expression);

/// A name as SQLite reads it: in double quotes unless it is a plain word that is none of its
/// keywords.
std::string sqlite_name(const std::string& name);

}  // namespace tessera::frontend::sql
