#include "types/origin.h"

#include <regex>

#include <fmt/format.h>

namespace tessera {

std::string to_string(const Origin& origin) {
  return origin.file.empty() ? origin.statement
                             : fmt::format("{} ({}:{}:{})", origin.statement, origin.file,
                                           origin.line, origin.column);
}

Origin parse_origin(const std::string& text) {
  static const std::regex form(R"((.*) \((.+):(\d+):(\d+)\))");
  std::smatch match;
  if (!std::regex_match(text, match, form)) {
    return {text, "", 0, 0};
  }
  return {match[1], match[2], std::stoll(match[3]), std::stoll(match[4])};
}

}  // namespace tessera
