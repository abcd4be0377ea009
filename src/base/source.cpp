#include "base/source.h"

#include <algorithm>

#include "base/utf8.h"

namespace tessera {

namespace {

constexpr int64_t kLongestLine = 200;  // characters that are shown whole
constexpr int64_t kShownBefore = 80;   // of a longer line, before the carets
constexpr std::string_view kUnprintable = "\uFFFD";
constexpr std::string_view kLeftOut = "\u2026";

/// Returns the byte where the character after `count` others starts, `end` if there are fewer.
size_t skip_characters(std::string_view text, size_t from, size_t end, int64_t count) {
  size_t at = from;
  for (; at < end; ++at) {
    if (starts_character(text[at]) && count-- == 0) {
      break;
    }
  }
  return at;
}

/// Returns the byte where the character `count` before starts, `begin` if there are fewer.
size_t skip_back(std::string_view text, size_t from, size_t begin, int64_t count) {
  while (from > begin && count > 0) {
    --from;
    count -= starts_character(text[from]) ? 1 : 0;
  }
  return from;
}

/// Bytes [begin, end) of a text: a line, or the shown part of it.
struct Extract {
  size_t begin = 0;
  size_t end = 0;
};

/// Returns a line without its break, which is a carriage return and a line feed in texts from
/// Windows.
Extract line_of(std::string_view text, size_t byte) {
  const size_t previous_break = byte == 0 ? std::string_view::npos : text.rfind('\n', byte - 1);
  Extract line{previous_break == std::string_view::npos ? 0 : previous_break + 1,
               std::min(text.find('\n', byte), text.size())};
  if (line.end > line.begin && text[line.end - 1] == '\r') {
    --line.end;
  }
  return line;
}

Extract shown_part(std::string_view text, Extract line, size_t byte) {
  if (skip_characters(text, line.begin, line.end, kLongestLine) == line.end) {
    return line;
  }
  const size_t begin = skip_back(text, byte, line.begin, kShownBefore);
  return {begin, skip_characters(text, begin, line.end, kLongestLine)};
}

/// Returns text that a terminal can show: one character for each that starts, even if damaged.
std::string shown(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t length = length_of_character(text, at);
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool is_printable = length > 0 && (byte >= ' ' || byte == '\t') && byte != 0x7F;
    if (is_printable) {
      result += text.substr(at, length);
    } else if (starts_character(text[at])) {
      result += kUnprintable;
    }
    at += std::max<size_t>(length, 1);
  }
  return result;
}

/// Returns fills as wide in a terminal as a text; tabs are kept if blanks fill.
std::string as_wide(std::string_view text, char fill) {
  std::string filled;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\t' && fill == ' ') {
      filled += '\t';
    } else if (starts_character(text[at])) {
      filled.append(static_cast<size_t>(num_cells(text, at)), fill);
    }
  }
  return filled;
}

size_t clamped(const SourceText& source, int64_t byte) {
  return static_cast<size_t>(
      std::clamp<int64_t>(byte, 0, static_cast<int64_t>(source.text.size())));
}

}  // namespace

SourcePosition position_of(const SourceText& source, int64_t byte) {
  const std::string_view before = std::string_view(source.text).substr(0, clamped(source, byte));
  const size_t line_start =
      before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return {1 + std::count(before.begin(), before.end(), '\n'),
          1 + count_characters(before.substr(line_start))};
}

SourceSpan span_of(const SourceText& source, const SourcePlace& place) {
  const std::string_view text = source.text;
  size_t line_start = 0;
  for (int64_t line = 1; line < place.position.line; ++line) {
    line_start = std::min(text.find('\n', line_start), text.size() - 1) + 1;
  }
  const Extract line = line_of(text, line_start);
  const size_t begin =
      skip_characters(text, line.begin, line.end, std::max<int64_t>(place.position.column, 1) - 1);
  const size_t end = skip_characters(text, begin, line.end, place.num_characters);
  return {static_cast<int64_t>(begin), static_cast<int64_t>(end)};
}

int64_t num_characters(const SourceText& source, SourceSpan span) {
  const size_t begin = clamped(source, span.begin);
  const size_t end = std::max(clamped(source, span.end), begin);
  const std::string_view covered = std::string_view(source.text).substr(begin, end - begin);
  return std::max<int64_t>(1, count_characters(covered.substr(0, covered.find('\n'))));
}

std::string excerpt_of(const SourceText& source, SourceSpan span, int indent) {
  const std::string_view text = source.text;
  const Extract line = line_of(text, clamped(source, span.begin));
  const size_t begin = std::min(clamped(source, span.begin), line.end);
  const Extract part = shown_part(text, line, begin);
  const size_t end = std::clamp(clamped(source, span.end), begin, std::max(begin, part.end));
  const std::string carets = as_wide(text.substr(begin, end - begin), '^');
  const std::string_view left_out_before = part.begin > line.begin ? kLeftOut : "";
  const std::string_view left_out_after = part.end < line.end ? kLeftOut : "";
  const std::string margin(static_cast<size_t>(indent), ' ');
  std::string excerpt = margin;
  excerpt += left_out_before;
  excerpt += shown(text.substr(part.begin, part.end - part.begin));
  excerpt += left_out_after;
  excerpt += "\n" + margin + as_wide(left_out_before, ' ');
  excerpt += as_wide(text.substr(part.begin, begin - part.begin), ' ');
  return excerpt + (carets.empty() ? "^" : carets);
}

}  // namespace tessera
