#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// What some editors and spreadsheets put before a text of UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The text without the mark that it may begin with.
inline std::string without_byte_order_mark(std::string text) {
  if (text.starts_with(kByteOrderMark)) {
    text.erase(0, kByteOrderMark.size());
  }
  return text;
}

}  // namespace tessera
