#include "frontend/sql/truth_words.h"

#include <algorithm>
#include <map>
#include <string>

namespace tessera::frontend::sql {

std::optional<bool> truth_in(std::string_view text) {
  static const std::map<std::string, bool, std::less<>> words = {
      {"true", true},   {"t", true},  {"yes", true}, {"y", true},  {"on", true},   {"1", true},
      {"false", false}, {"f", false}, {"no", false}, {"n", false}, {"off", false}, {"0", false}};
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) {
    return std::nullopt;
  }
  std::string word(text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1));
  std::transform(word.begin(), word.end(), word.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  const auto known = words.find(word);
  return known == words.end() ? std::nullopt : std::optional(known->second);
}

}  // namespace tessera::frontend::sql
