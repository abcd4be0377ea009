#pragma once

#include <string>
#include <vector>

namespace tessera::plans {

std::vector<std::string> lines_of(const std::string& text);

/// Two texts line by line: "  " before lines of both, "- " before those that are only expected, "+
/// " before those that are only seen. Lines far from any difference are left out.
std::string line_difference(const std::string& expected, const std::string& seen);

}  // namespace tessera::plans
