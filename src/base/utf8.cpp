#include "base/utf8.h"

#include <algorithm>
#include <cwchar>

#include <fmt/format.h>
#include <locale.h>

namespace tessera {

namespace {

/// Returns the code point of a character of two bytes or more.
wchar_t code_point(std::string_view character) {
  const size_t length = character.size();
  auto code = static_cast<wchar_t>(static_cast<unsigned char>(character[0]) & (0x7F >> length));
  for (const char follower : character.substr(1)) {
    code = (code << 6) | (static_cast<unsigned char>(follower) & 0x3F);
  }
  return code;
}

}  // namespace

size_t length_of_character(std::string_view text, size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  const size_t length = byte < 0x80   ? 1
                        : byte < 0xC2 ? 0
                        : byte < 0xE0 ? 2
                        : byte < 0xF0 ? 3
                        : byte < 0xF5 ? 4
                                      : 0;
  if (at + length > text.size()) {
    return 0;
  }
  for (size_t follower = 1; follower < length; ++follower) {
    if ((static_cast<unsigned char>(text[at + follower]) & 0xC0) != 0x80) {
      return 0;
    }
  }
  return length;
}

bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

int64_t count_characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(), starts_character);
}

int num_cells(std::string_view text, size_t at) {
  const size_t length = length_of_character(text, at);
  const wchar_t character = length < 2 ? L' ' : code_point(text.substr(at, length));
  static const locale_t widths = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (widths == nullptr) {
    return 1;  // a system without tables
  }
  const locale_t before = ::uselocale(widths);
  const int cells = ::wcwidth(character);
  ::uselocale(before);
  return cells < 0 ? 1 : cells;
}

std::string printable(std::string_view bytes, size_t most) {
  std::string text;
  size_t at = 0;
  for (size_t shown = 0; shown < most && at < bytes.size(); ++shown) {
    const auto byte = static_cast<unsigned char>(bytes[at]);
    const size_t length = byte < ' ' || byte == 0x7F ? 0 : length_of_character(bytes, at);
    text += length == 0 ? fmt::format("\\x{:02x}", byte) : std::string(bytes.substr(at, length));
    at += std::max<size_t>(length, 1);
  }
  return at < bytes.size() ? text + "..." : text;
}

}  // namespace tessera
