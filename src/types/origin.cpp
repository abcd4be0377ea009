#include "types/origin.h"

#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace tessera {

namespace {

/// Takes ":<number>" off the end of a text.
std::optional<int64_t> take_last_number(std::string_view& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return std::nullopt;
  }
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data() + colon + 1, end, number);
  if (error != std::errc() || stopped != end || number < 0) {
    return std::nullopt;
  }
  text = text.substr(0, colon);
  return number;
}

}  // namespace

std::optional<SourcePlace> place_of(const Origin& origin) {
  if (origin.file.empty()) {
    return std::nullopt;
  }
  return SourcePlace{origin.file, {origin.line, origin.column}, origin.num_characters};
}

std::string to_string(const Origin& origin) {
  return origin.file.empty() ? origin.statement
                             : fmt::format("{} ({}:{}:{})", origin.statement, origin.file,
                                           origin.line, origin.column);
}

Origin parse_origin(const std::string& text) {
  const size_t open = text.find(" (");  // a file may hold one too ("copy (2).ein"), a name does not
  if (open == std::string::npos || text.back() != ')') {
    return {text, "", 0, 0};
  }
  std::string_view place = std::string_view(text).substr(open + 2, text.size() - open - 3);
  const std::optional<int64_t> column = take_last_number(place);
  const std::optional<int64_t> line = column ? take_last_number(place) : std::nullopt;
  if (!line || place.empty()) {
    return {text, "", 0, 0};
  }
  return {text.substr(0, open), std::string(place), *line, *column};
}

}  // namespace tessera
