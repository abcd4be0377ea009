#include "ir/document_text.h"

#include <string>

namespace tessera::ir {

namespace {

bool is_space(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

bool is_word_byte(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
         (byte >= '0' && byte <= '9');
}

/// Counts the bytes of a quoted text, with its quotes; the whole rest if it is not closed.
size_t quoted_length(std::string_view text) {
  for (size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

char closing_of(char open) {
  return open == '(' ? ')' : open == '[' ? ']' : '}';
}

}  // namespace

size_t length_of_value(std::string_view text) {
  std::string expected;  // brackets still to be closed, innermost last
  for (size_t at = 0; at < text.size(); ++at) {
    const char byte = text[at];
    if (byte == '"') {
      at += quoted_length(text.substr(at)) - 1;
    } else if (byte == '(' || byte == '[' || byte == '{') {
      expected += closing_of(byte);
    } else if (byte == ')' || byte == ']' || byte == '}') {
      if (expected.empty() || expected.back() != byte) {
        return at;
      }
      expected.pop_back();
    } else if (byte == '#' || (is_space(byte) && expected.empty())) {
      return at;
    }
  }
  return text.size();
}

size_t length_of_parameter_name(std::string_view text) {
  size_t length = 0;
  while (length < text.size() && is_word_byte(text[length])) {
    ++length;
  }
  return length > 0 && length < text.size() && text[length] == '=' ? length + 1 : 0;
}

}  // namespace tessera::ir
