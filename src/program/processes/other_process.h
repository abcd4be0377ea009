#pragma once

#include "engine/execution/run_control.h"
#include "engine/session.h"

namespace tessera::program {

/// What all processes but the first do: they run each program that the first runs
/// (first_process.h), until it says that no more will come. Errors: those of a run, after which
/// nothing more can be run together.
void run_with_first_process(const engine::Session& session, const engine::RunControl& control);

}  // namespace tessera::program
