#pragma once

#include <string>

namespace tessera::cli {

/// The version of this program, and what its linker made of the bytes that it was built from, so
/// that two builds are told apart: "0.1.0 (9f3c…)".
std::string build_id();

}  // namespace tessera::cli
