#include "cli/tile_argument.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/ranges.h>

#include "base/error.h"

namespace tessera::cli {

void refuse_tile_length(const std::string& argument, const CommonOptions& options) {
  const size_t sign = argument.find('=');
  const std::string length = sign == std::string::npos ? "" : argument.substr(sign + 1);
  const bool is_length =
      !length.empty() && std::all_of(length.begin(), length.end(),
                                     [](unsigned char digit) { return std::isdigit(digit) != 0; });
  std::error_code ignored;
  const bool is_file =
      std::filesystem::exists(argument, ignored) || std::filesystem::exists(length, ignored);
  TESSERA_USER_CHECK(options.tile.empty() || !is_length || is_file,
                     "{} is no input; tile lengths are one argument: --tile {},{}", argument,
                     fmt::join(options.tile, ","), argument);
}

}  // namespace tessera::cli
