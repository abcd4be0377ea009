#pragma once

#include <optional>
#include <string>

#include "types/array_type.h"

namespace tessera::cli {

/// Parses a type in place of a file, as in A=f32[1000,64]; nothing for a file. Errors: `user` for a
/// malformed type, with the fault.
std::optional<ArrayType> type_argument(const std::string& text);

}  // namespace tessera::cli
