#pragma once

#include "cli/options.h"

namespace tessera::cli {

constexpr int kExitUsage = 2;

/// The options of every command.
struct CommandLine {
  EinsumOptions einsum;
  RunOptions program;
  ExplainOptions explain;
  SimulateOptions simulate;
  FunctionsOptions functions;
  SqlOptions sql;
  CalibrateOptions calibrate;
  BenchOptions bench;
};

/// Parses the arguments and runs their command, or prints help, or reports what is wrong with them.
/// Returns the exit code: 0, or kExitUsage. Errors: those of the command.
int run_command(CommandLine& line, int argc, char** argv);

}  // namespace tessera::cli
