#pragma once

#include <string>

namespace tessera::engine {

/// What a program may call, in groups, a line each: how it is written, as an operator too, numpy's
/// name, what it is. With a name all that is known of that one. Errors: `user` for a name that is
/// not there, with what was meant.
std::string functions_text(const std::string& name);

/// The same as JSON (doc/json.md), of all or of those with that name.
std::string functions_json(const std::string& name);

}  // namespace tessera::engine
