#include "base/source.h"

#include <algorithm>

namespace tessera {

namespace {

bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

int64_t count_characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(), starts_character);
}

}  // namespace

SourcePosition position_of(const SourceText& source, int64_t byte) {
  const std::string_view before =
      std::string_view(source.text)
          .substr(0, static_cast<size_t>(
                         std::clamp<int64_t>(byte, 0, static_cast<int64_t>(source.text.size()))));
  const size_t line_start =
      before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return {1 + std::count(before.begin(), before.end(), '\n'),
          1 + count_characters(before.substr(line_start))};
}

std::string excerpt_of(const SourceText& source, SourceSpan span, int indent) {
  const std::string_view text = source.text;
  const size_t begin =
      static_cast<size_t>(std::clamp<int64_t>(span.begin, 0, static_cast<int64_t>(text.size())));
  const size_t previous_break = begin == 0 ? std::string_view::npos : text.rfind('\n', begin - 1);
  const size_t line_start = previous_break == std::string_view::npos ? 0 : previous_break + 1;
  const size_t line_end = std::min(text.find('\n', begin), text.size());
  const size_t span_end =
      std::clamp(static_cast<size_t>(std::max(span.end, span.begin)), begin, line_end);

  std::string padding;  // tabs are kept so that the caret stands under its character
  for (const char byte : text.substr(line_start, begin - line_start)) {
    if (starts_character(byte)) {
      padding += byte == '\t' ? '\t' : ' ';
    }
  }
  const int64_t carets =
      std::max<int64_t>(1, count_characters(text.substr(begin, span_end - begin)));
  const std::string margin(static_cast<size_t>(indent), ' ');
  return margin + std::string(text.substr(line_start, line_end - line_start)) + "\n" + margin +
         padding + std::string(static_cast<size_t>(carets), '^');
}

}  // namespace tessera
