#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// The bytes that some editors and spreadsheets write before UTF-8 text.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Returns the text without the mark that it may begin with.
inline std::string without_byte_order_mark(std::string text) {
  if (text.starts_with(kByteOrderMark)) {
    text.erase(0, kByteOrderMark.size());
  }
  return text;
}

}  // namespace tessera
