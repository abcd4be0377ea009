#pragma once

#include <string>

#include "cli/options.h"

namespace tessera::cli {

/// Refuses an argument that is no input of the program, but looks like a tile length after those of
/// --tile: `--tile a=8 b=3`. Errors: `user`.
void refuse_tile_length(const std::string& argument, const CommonOptions& options);

}  // namespace tessera::cli
