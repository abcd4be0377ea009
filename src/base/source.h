#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

/// A text a user wrote, with the name an error shows for it (a file, or `<equation>`).
struct SourceText {
  std::string name;
  std::string text;
};

/// Part of a SourceText: bytes [begin, end).
struct SourceSpan {
  int64_t begin = 0;
  int64_t end = 0;
  friend bool operator==(const SourceSpan&, const SourceSpan&) = default;
};

/// A position for people: lines and columns from 1; a column is one character (not one byte) of
/// UTF-8.
struct SourcePosition {
  int64_t line = 1;
  int64_t column = 1;
};

/// Characters of a line in a text that is known by its name only.
struct SourcePlace {
  std::string source;
  SourcePosition position;
  int64_t num_characters = 1;
};

SourcePosition position_of(const SourceText& source, int64_t byte);

/// Returns the span of a place in its text, at most to the end of its line.
SourceSpan span_of(const SourceText& source, const SourcePlace& place);

/// Counts the characters of the span on its first line; at least 1.
int64_t num_characters(const SourceText& source, SourceSpan span);

/// Returns the source line that holds the span's first byte, and below it a caret per character of
/// the span (on that line), both indented by `indent` spaces. A line longer than 200 characters is
/// shown around the span, with … for the rest; a control character is shown as �.
std::string excerpt_of(const SourceText& source, SourceSpan span, int indent = 2);

}  // namespace tessera
