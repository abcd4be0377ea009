#pragma once

#include "engine/session.h"

namespace tessera::cli {

/// Prints what every statement of a plan costs, on stdout: estimated and, with a report, measured.
void print_profile(const engine::Stages& stages, const runtime::RunReport* report);

}  // namespace tessera::cli
