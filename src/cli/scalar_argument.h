#pragma once

#include <optional>
#include <string>

#include "engine/files/input_files.h"
#include "types/literal.h"

namespace tessera::cli {

/// Returns the number that NAME=SPEC gives to an input without modes; nothing if SPEC is a file or
/// a type. `header` is the program's declaration of that name, null if there is none.
///
/// Errors: `user`, if a number is given to an input that has modes.
std::optional<Literal> scalar_argument(const std::string& name, const std::string& spec,
                                       const frontend::DeclaredInput* header);

/// Returns the header of a name in a map; null if there is none.
const frontend::DeclaredInput* find_header(
    const std::map<std::string, frontend::DeclaredInput>& headers, const std::string& name);

}  // namespace tessera::cli
