#pragma once

#include <string>

namespace tessera::cli {

/// Returns "1.50 s", "2.00 ms", "3.0 us".
std::string seconds_text(double seconds);

/// Returns "1.2 M".
std::string count_text(double count);

}  // namespace tessera::cli
