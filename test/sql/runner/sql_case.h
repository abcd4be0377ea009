#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/session.h"
#include "plans/runner/case_file.h"
#include "sql/executor.h"

namespace tessera::sql_cases {

/// Settings of the session that runs the statements of a case.
struct CaseSettings {
  engine::Settings engine = plans::default_settings();
  sql::Framing framing;
  int64_t seed = 0;
  int64_t most_steps = 100'000;
};

/// Statements that must run. With an expectation, their tags are compared ("INSERT 0 3").
struct Run {
  std::string sql;
  std::optional<plans::Section> expected;
};

/// Queries, and the names and rows that they give.
struct Query {
  std::string sql;
  double tolerance = 0;  // relative
  plans::Section expected;
};

/// A query made from a template and one expression. Its rows, or its error, stand on one line.
struct Each {
  std::string expression;
  std::string sql;
  double tolerance = 0;  // relative
  plans::Section expected;
};

/// Statements of which one fails, and the message that its user reads.
struct Failure {
  std::string sql;
  plans::Section expected;
};

/// Statements that print text, EXPLAIN above all. Each expected line is part of the text, in this
/// order; a line that begins with "not " is no part of it.
struct Show {
  std::string sql;
  plans::Section expected;
};

/// A file that statements may read.
struct WriteFile {
  std::string name;
  std::string text;
};

/// A file that statements have written, and its text.
struct ReadFile {
  std::string name;
  plans::Section expected;
};

/// Closes the database and opens it again, as another process would.
struct Reopen {};

using Action = std::variant<Run, Query, Each, Failure, Show, WriteFile, ReadFile, Reopen>;

/// An action of a case, and the line that it begins at.
struct Step {
  Action action;
  int64_t line = 0;
};

/// Statements over a database of their own, in order, and what is expected of each.
struct SqlCase {
  std::string file;
  int64_t line = 0;
  std::string name;
  CaseSettings settings;
  bool runs_in_modes = true;
  std::vector<Step> steps;
};

/// Reads a `.sqltest` file (test/sql/README.md describes the format). `name` is the file's name in
/// errors. Errors: `user`, with file and line, for a line that is not understood.
std::vector<SqlCase> read_sql_cases(const std::string& text, const std::string& name);

}  // namespace tessera::sql_cases
