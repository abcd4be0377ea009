#pragma once

#include <string>
#include <vector>

namespace tessera {

/// Every name that parse_dtype (types/dtype.h) reads, to suggest one.
std::vector<std::string> dtype_names();

}  // namespace tessera
