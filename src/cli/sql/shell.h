#pragma once

#include <string>

#include "cli/sql/line_editor.h"
#include "cli/sql/statement_runner.h"

namespace tessera::cli {

/// Reads statements and commands from a terminal, as psql does, until \q or the end of input. An
/// error is said, and the next statement asked for; Ctrl-C ends the statement that runs, or clears
/// what was written.
class Shell {
 public:
  /// The runner outlives it. `name` is the database's, for the prompt.
  Shell(StatementRunner& runner, std::string name);

  /// Errors: `interrupted`, where the process was told to end.
  void run();

 private:
  std::string prompt() const;
  /// Takes in a line; false where it is the last.
  bool take(const std::string& line);
  bool run_complete_statements();
  /// Runs a text, or says what is wrong; false where \q ended it.
  bool run_text(const std::string& text);

  StatementRunner& runner_;
  std::string name_;
  std::string begun_;  // of statements that are not complete
  LineEditor editor_;
};

/// Whether somebody sits before standard input and output.
bool is_interactive();

}  // namespace tessera::cli
