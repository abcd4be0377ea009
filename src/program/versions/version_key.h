#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::program {

/// The indices of a version: {3, 2} of `T[3][2]`.
using VersionKey = std::vector<int64_t>;

/// "t[3][2]"
std::string version_name(const std::string& table, const VersionKey& key);

}  // namespace tessera::program
