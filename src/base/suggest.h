#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tessera {

/// Returns the known name closest to a misspelt one (edit distance with transpositions), if one is
/// near enough.
std::optional<std::string> closest_name(std::string_view name, std::span<const std::string> known);

/// Returns `did you mean 'X'?`, or nothing if no name is close.
std::string did_you_mean(std::string_view name, std::span<const std::string> known);

}  // namespace tessera
