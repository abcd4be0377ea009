#pragma once

#include <optional>
#include <string>

#include "engine/files/input_files.h"
#include "types/literal.h"

namespace tessera::cli {

/// The number that NAME=SPEC gives to an input without modes; nothing where SPEC is a file or a
/// type. `header` is what the program declares under that name, null where nothing.
///
/// Errors: `user`, where a number is given to an input that has modes.
std::optional<Literal> scalar_argument(const std::string& name, const std::string& spec,
                                       const frontend::DeclaredInput* header);

/// What a map has under a name; null where nothing.
const frontend::DeclaredInput* find_header(
    const std::map<std::string, frontend::DeclaredInput>& headers, const std::string& name);

}  // namespace tessera::cli
