#include "sql/number_formats.h"

#include <algorithm>
#include <string_view>

namespace tessera::sql {

namespace {

constexpr std::string_view kFlags = "-+ 0#,!";
constexpr std::string_view kDigits = "0123456789";

}  // namespace

std::vector<FormatPiece> pieces_of_format(const std::string& format) {
  std::vector<FormatPiece> pieces;
  for (size_t begin = 0; begin < format.size();) {
    const size_t percent = format.find('%', begin);
    if (percent != begin) {
      pieces.push_back({format.substr(begin, percent - begin)});
      begin = std::min(percent, format.size());
      continue;
    }
    const size_t letter = format.find_first_not_of("-+ 0#,!123456789.l", begin + 1);
    if (letter == format.npos || format[letter] == '*') {
      return {};
    }
    const bool is_of_number = std::string_view("dieEfgG").find(format[letter]) != format.npos;
    pieces.push_back(
        {format.substr(begin, letter + 1 - begin), format[letter] != '%', is_of_number});
    begin = letter + 1;
  }
  return pieces;
}

std::string text_conversion(const std::string& conversion) {
  const size_t width = std::min(conversion.find_first_not_of(kFlags, 1), conversion.size());
  const bool is_at_left = conversion.substr(0, width).find('-') != conversion.npos;
  const size_t end = std::min(conversion.find_first_not_of(kDigits, width), conversion.size());
  return (is_at_left ? "%-" : "%") + conversion.substr(width, end - width) + "s";
}

}  // namespace tessera::sql
