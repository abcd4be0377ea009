#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/sql/statement_runner.h"

namespace tessera::cli {

/// A command of the shell, as in psql.
struct BackslashCommand {
  std::string_view name;  // with its backslash
  std::string_view arguments;
  std::string_view summary;
  /// Runs the command. `argument` is everything after the name. False if nothing is to run any
  /// more.
  bool (*run)(StatementRunner& runner, const std::string& argument);
};

std::span<const BackslashCommand> backslash_commands();

/// Runs a line such as `\d t`. Errors: `user`, for an unknown command with the name that was
/// probably meant; those of the command.
bool run_backslash_command(StatementRunner& runner, const std::string& line);

}  // namespace tessera::cli
