#pragma once

#include <string>

namespace tessera::engine {

/// Lists the callables of programs, in groups, a line each: its form, also as an operator, numpy's
/// name, and its summary. With a name, lists all facts about that one. Errors: `user` for an
/// unknown name, with a suggestion.
std::string functions_text(const std::string& name);

/// Returns the callables as JSON (doc/json.md), all or those with that name.
std::string functions_json(const std::string& name);

}  // namespace tessera::engine
