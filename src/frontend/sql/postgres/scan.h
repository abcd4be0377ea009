#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "frontend/sql/text/finding.h"
#include "frontend/sql/text/tokens.h"

namespace tessera::frontend::sql {

/// Returns the tokens of a text, by PostgreSQL's scanner, or the reason why it has none: a quote
/// that does not end, a number with letters after it. REQUIRES valid UTF-8 without a zero byte.
std::variant<std::vector<Token>, Diagnostic> scan(const std::string& text);

}  // namespace tessera::frontend::sql
