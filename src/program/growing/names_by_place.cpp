#include "program/growing/names_by_place.h"

#include <cctype>

namespace tessera::program {

namespace {

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace

std::string NamesByPlace::name_of(const std::string& tensor) {
  const auto [name, is_new] = names_.try_emplace(tensor);
  if (is_new) {
    name->second = "X" + std::to_string(names_.size());
  }
  return name->second;
}

std::string NamesByPlace::renamed(const std::string& text, const IsTensor& is_tensor) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && is_of_name(text[end])) {
      ++end;
    }
    const std::string word = text.substr(at, end - at);
    result += !word.empty() && is_tensor(word) ? name_of(word) : word;
    if (end < text.size()) {
      result += text[end];
    }
    at = end + 1;
  }
  return result;
}

}  // namespace tessera::program
