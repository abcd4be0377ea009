#pragma once

#include "cli/options.h"
#include "cli/results.h"
#include "engine/input_files.h"
#include "engine/session.h"

namespace tessera::cli {

/// Runs a plan as often as asked, gives the results their files or prints them, then says what the
/// runs took where the options ask for it. Errors: those of the run; before it, where the trace
/// cannot be written.
void run_plan(const engine::Session& session, const engine::Stages& stages,
              const engine::InputFiles& inputs, Results& results, const ExecutionOptions& options,
              bool quiet);

}  // namespace tessera::cli
