#pragma once

#include "engine/planning/stages.h"

namespace tessera::cli {

/// Says on stderr what a program was warned of, each with its place.
void say_warnings(const engine::Stages& stages);

}  // namespace tessera::cli
