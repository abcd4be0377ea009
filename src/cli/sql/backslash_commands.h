#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/sql/statement_runner.h"

namespace tessera::cli {

/// A command of the shell, as psql has it.
struct BackslashCommand {
  std::string_view name;  // with its backslash
  std::string_view arguments;
  std::string_view summary;
  /// `argument` is all behind the name. False where nothing is to run any more.
  bool (*run)(StatementRunner& runner, const std::string& argument);
};

std::span<const BackslashCommand> backslash_commands();

/// Runs a line such as `\d t`. Errors: `user`, for an unknown command with what was meant; those of
/// what it runs.
bool run_backslash_command(StatementRunner& runner, const std::string& line);

}  // namespace tessera::cli
