#pragma once

#include "engine/execution/run_control.h"
#include "engine/session.h"

namespace tessera::program {

/// Runs each program that the first process runs (first_process.h), until that says that no more
/// will come. All processes but the first call this. Errors: those of a run, after which
/// nothing more can be run together.
void run_with_first_process(const engine::Session& session, const engine::RunControl& control);

}  // namespace tessera::program
