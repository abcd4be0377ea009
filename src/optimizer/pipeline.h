#pragma once

#include <string>
#include <vector>

namespace tessera::optimizer {

/// Every `normalize` rule, until none changes anything.
inline constexpr const char* kNormalize = "normalize";

/// Returns the steps for the graph of each stage, in order: kNormalize or a placed rule, once; a
/// pass.
std::vector<std::string> einsum_pipeline();
std::vector<std::string> tra_pipeline();
std::vector<std::string> ia_pipeline();

}  // namespace tessera::optimizer
