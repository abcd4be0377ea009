#pragma once

#include <string_view>

namespace tessera::sql {

/// Returns what to write in place of a function of PostgreSQL's that is not built, as a help line
/// says it; empty for all other names.
std::string_view instead_of(std::string_view function);

}  // namespace tessera::sql
