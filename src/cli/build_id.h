#pragma once

#include <string>

namespace tessera::cli {

/// Returns the version of this program with its linker's build id, which tells two builds apart:
/// "0.1.0 (9f3c…)".
std::string build_id();

}  // namespace tessera::cli
