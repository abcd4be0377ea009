#include "frontend/einsum/program/lexer_state.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace tessera::frontend {

namespace {

struct CodeRange {
  uint32_t first;
  uint32_t last;
};

/// Blocks of Unicode above ASCII that hold signs, spaces and punctuation. All others count as
/// letters: a table of all letters would not help more to someone who writes a label.
constexpr std::array<CodeRange, 13> kSigns = {{{0x80, 0xA9},
                                               {0xAB, 0xB4},
                                               {0xB6, 0xB9},
                                               {0xBB, 0xBF},
                                               {0xD7, 0xD7},
                                               {0xF7, 0xF7},
                                               {0x2000, 0x206F},
                                               {0x20A0, 0x20CF},
                                               {0x2190, 0x2BFF},
                                               {0x3000, 0x3004},
                                               {0x3008, 0x3020},
                                               {0xFE00, 0xFEFF},
                                               {0xFF01, 0xFF0F}}};

uint32_t code_of(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  uint32_t code = first & (character.size() == 2 ? 0x1Fu : character.size() == 3 ? 0x0Fu : 0x07u);
  for (const char byte : character.substr(1)) {
    code = (code << 6) | (static_cast<unsigned char>(byte) & 0x3Fu);
  }
  return code;
}

bool is_sign(uint32_t code) {
  return std::any_of(kSigns.begin(), kSigns.end(), [&](const CodeRange& range) {
    return range.first <= code && code <= range.last;
  });
}

/// True if a name ends before this character; one of several bytes belongs to the name.
bool is_ascii_end_of_name(char next) {
  const auto byte = static_cast<unsigned char>(next);
  return byte < 0x80 && std::isalnum(byte) == 0 && next != '_';
}

}  // namespace

int64_t character_length(unsigned char first_byte) {
  return first_byte < 0x80 ? 1 : first_byte < 0xE0 ? 2 : first_byte < 0xF0 ? 3 : 4;
}

bool goes_on_with_operator(std::string_view rest) {
  constexpr std::string_view kBlanks = " \t\r\f\v\n";
  size_t at = rest.find_first_not_of(kBlanks);
  while (at < rest.size() && rest[at] == '#') {
    at = rest.find_first_not_of(kBlanks, rest.find('\n', at));
  }
  if (at >= rest.size()) {
    return false;
  }
  rest = rest.substr(at);
  for (const std::string_view word : {"and", "or"}) {
    const char next = rest.size() > word.size() ? rest[word.size()] : ' ';
    if (rest.substr(0, word.size()) == word && is_ascii_end_of_name(next)) {
      return true;
    }
  }
  constexpr std::string_view kOperators = "+-*/%^<>";
  return kOperators.find(rest[0]) != std::string_view::npos || rest.substr(0, 2) == "==" ||
         rest.substr(0, 2) == "!=";
}

int64_t find_foreign_character(std::string_view name) {
  for (size_t at = 0; at < name.size();) {
    const auto length = static_cast<size_t>(character_length(static_cast<unsigned char>(name[at])));
    if (length > 1 && is_sign(code_of(name.substr(at, length)))) {
      return static_cast<int64_t>(at);
    }
    at += length;
  }
  return -1;
}

}  // namespace tessera::frontend
