#pragma once

#include <string>
#include <vector>

namespace tessera {

/// Returns every name that parse_dtype (types/dtype.h) reads, for suggestions.
std::vector<std::string> dtype_names();

}  // namespace tessera
