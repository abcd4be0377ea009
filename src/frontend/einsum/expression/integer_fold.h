#pragma once

#include <optional>
#include <string>
#include <vector>

#include "types/literal.h"

namespace tessera::frontend {

/// Returns the exact value of an arithmetic function or a comparison of whole numbers, at least one
/// of them an i64 or u64. A result beyond both i64 and u64 is the float nearest to it: 2^64 is
/// 18446744073709551616.0.
///
/// Returns nothing for other functions and numbers, and if the function has no whole value (a
/// division by zero, a negative exponent).
std::optional<Literal> fold_integers(const std::string& function,
                                     const std::vector<Literal>& arguments);

}  // namespace tessera::frontend
