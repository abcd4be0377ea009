#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "frontend/sql/parse.h"
#include "frontend/sql/sqlite_text.h"

namespace tessera::frontend::sql {

inline std::vector<Statement> parsed(const std::string& script) {
  return parse({"script.sql", script}).value();
}

/// The only statement of a script, as what it should be.
template <class StatementKind>
StatementKind parsed_as(const std::string& script) {
  const std::vector<Statement> statements = parsed(script);
  EXPECT_EQ(statements.size(), 1U) << script;
  return std::get<StatementKind>(statements.at(0).of);
}

inline Select query_in(const std::string& script) {
  return *parsed_as<Query>(script).query;
}

/// The first result of a query.
inline Expression result_of(const std::string& script) {
  return *query_in(script).targets.at(0).expression;
}

/// `SELECT text` in SQLite's words, without SELECT.
inline std::string value_for_sqlite(const std::string& text) {
  return sqlite_text(result_of("SELECT " + text));
}

inline std::string for_sqlite(const std::string& script) {
  return sqlite_text(query_in(script));
}

/// What is found in a script that cannot be read.
inline std::vector<Diagnostic> findings_in(const std::string& script) {
  auto result = parse({"script.sql", script});
  EXPECT_FALSE(result.ok()) << script;
  return result.ok() ? std::vector<Diagnostic>() : result.diagnostics().found();
}

/// The first finding as `message | what it points at`.
inline std::string finding_in(const std::string& script) {
  const std::vector<Diagnostic> found = findings_in(script);
  if (found.empty()) {
    return "";
  }
  const SourceSpan span = found[0].span;
  return found[0].message + " | " +
         script.substr(static_cast<size_t>(span.begin), static_cast<size_t>(span.end - span.begin));
}

/// The part of a script that a span is.
inline std::string part_of(const std::string& script, SourceSpan span) {
  return script.substr(static_cast<size_t>(span.begin), static_cast<size_t>(span.end - span.begin));
}

}  // namespace tessera::frontend::sql
