#pragma once

#include <optional>
#include <string>

#include "types/array_type.h"

namespace tessera::cli {

/// The type that stands in place of a file, as in A=f32[1000,64]; nothing where a file is meant.
/// Errors: `user` for a type that is none, saying what is wrong with it.
std::optional<ArrayType> type_argument(const std::string& text);

}  // namespace tessera::cli
