#pragma once

#include <string>

#include "cli/sql/line_editor.h"
#include "cli/sql/statement_runner.h"

namespace tessera::cli {

/// A shell that reads statements and commands from a terminal, as psql does, until \q or the end of
/// input. It reports an error and continues with the next statement; Ctrl-C ends the running
/// statement, or clears the input.
class Shell {
 public:
  /// The runner outlives it. `name` is the database's, for the prompt.
  Shell(StatementRunner& runner, std::string name);

  /// Runs until the end. Errors: `interrupted`, if the process was told to end.
  void run();

 private:
  std::string prompt() const;
  /// Takes a line; false if it is the last.
  bool take(const std::string& line);
  bool run_complete_statements();
  /// Runs a text, or reports what is wrong; false after \q.
  bool run_text(const std::string& text);

  StatementRunner& runner_;
  std::string name_;
  std::string begun_;  // of incomplete statements
  LineEditor editor_;
};

/// True if standard input and output are a terminal.
bool is_interactive();

}  // namespace tessera::cli
