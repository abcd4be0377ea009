#include "simulate/costs/json_places.h"

#include <set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tessera::simulate {

namespace {

constexpr std::string_view kSpace = " \t\r\n";

/// Returns the place behind a string that begins at `at`.
size_t end_of_string(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    at += text[at] == '\\' ? 1 : 0;
  }
  return at + 1;
}

/// True if a colon follows a string: it is then the name of a member.
bool is_name(std::string_view text, size_t end) {
  const size_t next = text.find_first_not_of(kSpace, end);
  return next != std::string_view::npos && text[next] == ':';
}

std::string value_of(std::string_view written) {
  return nlohmann::json::parse(written).get<std::string>();
}

}  // namespace

int64_t begin_of_member(std::string_view text, std::string_view name) {
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char here = text[at];
    depth += here == '[' || here == '{' ? 1 : here == ']' || here == '}' ? -1 : 0;
    if (here == '"') {
      const size_t end = end_of_string(text, at);
      if (depth == 1 && is_name(text, end) && value_of(text.substr(at, end - at)) == name) {
        return static_cast<int64_t>(at);
      }
      at = end - 1;
    }
  }
  return 0;
}

int64_t begin_of_element(std::string_view text, std::string_view array, size_t number) {
  const std::string wanted = fmt::format("\"{}\"", array);
  int depth = 0;
  std::string_view name;  // the string before this place
  bool is_in_array = false;
  for (size_t at = 0; at < text.size(); ++at) {
    const char here = text[at];
    if (here == '"') {
      const size_t end = end_of_string(text, at);
      name = text.substr(at, end - at);
      at = end - 1;
      continue;
    }
    depth += here == '[' || here == '{' ? 1 : here == ']' || here == '}' ? -1 : 0;
    const bool opens = here == '[' && depth == 2;
    is_in_array = opens ? name == wanted : is_in_array && depth >= 2;
    if (is_in_array && (opens || (here == ',' && depth == 2)) && number-- == 0) {
      return static_cast<int64_t>(text.find_first_not_of(kSpace, at + 1));
    }
  }
  return 0;
}

std::optional<RepeatedMember> repeated_member(std::string_view text) {
  std::vector<std::set<std::string>> members;  // of the open objects and arrays
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{' || text[at] == '[') {
      members.emplace_back();
    } else if (text[at] == '}' || text[at] == ']') {
      members.pop_back();
    } else if (text[at] == '"') {
      const size_t end = end_of_string(text, at);
      const std::string_view written = text.substr(at, end - at);
      if (is_name(text, end) && !members.back().insert(value_of(written)).second) {
        return RepeatedMember{std::string(written), static_cast<int64_t>(at)};
      }
      at = end - 1;
    }
  }
  return std::nullopt;
}

}  // namespace tessera::simulate
