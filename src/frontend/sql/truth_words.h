#pragma once

#include <optional>
#include <string_view>

namespace tessera::frontend::sql {

/// The truth value that a text says in one of PostgreSQL's words (`true`, `t`, `yes`, `on`, `1` and
/// their opposites), in letters of either case with blanks around it.
std::optional<bool> truth_in(std::string_view text);

}  // namespace tessera::frontend::sql
