#include <algorithm>
#include <string_view>

#include "ir/description.h"
#include "ir/document_nodes.h"
#include "ir/document_text.h"

namespace tessera::ir {

namespace {

constexpr std::string_view kSpace = " \t\r\n";

/// Returns the lines of a source, each with the indented lines that follow it, without empty lines
/// and comments.
std::vector<SourceSpan> lines_of(const std::string& text) {
  std::vector<SourceSpan> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t line_break = std::min(text.find('\n', begin), text.size());
    const bool is_of_windows = line_break > begin && text[line_break - 1] == '\r';
    const size_t end = line_break - (is_of_windows ? 1 : 0);
    const size_t first = std::min(text.find_first_not_of(kSpace, begin), text.size());
    const bool is_indented = first > begin;
    if (first < end && is_indented && !lines.empty()) {
      lines.back().end = static_cast<int64_t>(end);
    } else if (first < end && text[first] != '#') {
      lines.push_back({static_cast<int64_t>(first), static_cast<int64_t>(end)});
    }
    begin = line_break + 1;
  }
  return lines;
}

/// Returns a text without line breaks: each, with the white space around it, is one space.
std::string unwrapped(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\n') {
      result += text[at];
      continue;
    }
    while (!result.empty() && kSpace.find(result.back()) != std::string_view::npos) {
      result.pop_back();
    }
    while (at + 1 < text.size() && kSpace.find(text[at + 1]) != std::string_view::npos) {
      ++at;
    }
    result += ' ';
  }
  return result;
}

std::string unescaped(std::string_view comment) {
  std::string text;
  for (size_t at = 0; at < comment.size(); ++at) {
    char byte = comment[at];
    if (byte == '\\' && at + 1 < comment.size()) {
      byte = comment[++at];
      byte = byte == 'n' ? '\n' : byte == 'r' ? '\r' : byte;
    }
    text += byte;
  }
  return text;
}

class LineReader {
 public:
  LineReader(const SourceText& source, SourceSpan line)
      : source_(source),
        next_(static_cast<size_t>(line.begin)),
        end_(static_cast<size_t>(line.end)) {}

  Document header() {
    Document document;
    document.stage = word("the stage: einsum, tra, ia or tasks");
    while (!at_end()) {
      document.settings.push_back(parameter());
    }
    return document;
  }

  Description node() {
    Description node;
    const size_t begin = next_;
    node.op = word("an operator");
    skip_space();
    if (looking_at('=')) {
      ++next_;
      node.id = std::move(node.op);
      node.op = word("an operator");
    }
    if (looking_at('(')) {
      node.operands = operands();
    }
    while (!at_end() && !looking_at('#') && !at_type()) {
      node.parameters.push_back(parameter());
    }
    if (!at_end() && at_type()) {
      ++next_;
      node.type = type();
    }
    node.span = {static_cast<int64_t>(begin), static_cast<int64_t>(next_)};
    if (!at_end()) {
      node.comment = comment();
    }
    return node;
  }

 private:
  std::string_view rest() const {
    return std::string_view(source_.text).substr(next_, end_ - next_);
  }

  void skip_space() {
    while (next_ < end_ && kSpace.find(source_.text[next_]) != std::string_view::npos) {
      ++next_;
    }
  }

  bool at_end() {
    skip_space();
    return next_ == end_;
  }

  bool looking_at(char byte) const { return next_ < end_ && source_.text[next_] == byte; }

  /// True at a colon with white space behind it.
  bool at_type() const {
    return looking_at(':') &&
           (rest().size() == 1 || kSpace.find(rest()[1]) != std::string_view::npos);
  }

  [[noreturn]] void fail_here(const std::string& message) const {
    const int64_t here = static_cast<int64_t>(next_);
    fail_at(source_, {here, here + 1}, message);
  }

  /// Takes the next bytes, without line breaks.
  Field take(size_t length) {
    const SourceSpan span{static_cast<int64_t>(next_), static_cast<int64_t>(next_ + length)};
    Field field{"", unwrapped(rest().substr(0, length)), span};
    next_ += length;
    return field;
  }

  std::string word(const std::string& what) {
    skip_space();
    const size_t length = std::min(rest().find_first_of(" \t\r\n()[]{}#=:\""), rest().size());
    if (length == 0) {
      fail_here("expected " + what);
    }
    return take(length).text;
  }

  std::vector<Field> operands() {
    std::vector<Field> fields;
    ++next_;
    skip_space();
    while (!looking_at(')')) {
      skip_space();
      const size_t length = std::min(rest().find_first_of(" \t\r\n(),#"), rest().size());
      if (length == 0) {
        fail_here("expected an operand such as %0");
      }
      fields.push_back(take(length));
      skip_space();
      if (looking_at(',')) {
        ++next_;
      } else if (!looking_at(')')) {
        fail_here("expected ',' or ')' after an operand");
      }
    }
    ++next_;
    return fields;
  }

  Field parameter() {
    Field name = take(length_of_parameter_name(rest()));
    const size_t begin = next_;
    const size_t length = length_of_value(rest());
    if (length == 0) {
      fail_here(name.text.empty() ? "expected a parameter, ': type' or '# comment'"
                                  : "expected a value after " + name.text);
    }
    const char last = source_.text[begin + length - 1];
    const bool in_braces = looking_at('{');
    if (in_braces && last != '}') {
      fail_here("this brace is not closed");
    }
    Field field = in_braces ? inside_braces(length) : take(length);
    field.name = name.text.substr(0, name.text.empty() ? 0 : name.text.size() - 1);
    return field;
  }

  /// Reads "{text}" without white space next to the braces.
  Field inside_braces(size_t length) {
    const std::string_view inner = rest().substr(1, length - 2);
    const size_t first = std::min(inner.find_first_not_of(kSpace), inner.size());
    const size_t last = inner.find_last_not_of(kSpace);
    next_ += 1 + first;
    Field field = take(last == std::string_view::npos ? 0 : last + 1 - first);
    next_ += length - 2 - (last == std::string_view::npos ? first : last + 1) + 1;
    return field;
  }

  Field type() {
    skip_space();
    size_t length = 0;
    size_t trimmed = 0;  // without white space at the end
    while (length < rest().size() && rest()[length] != '#') {
      const size_t value = length_of_value(rest().substr(length));
      length += value;
      trimmed = value > 0 ? length : trimmed;
      if (value == 0) {
        if (kSpace.find(rest()[length]) == std::string_view::npos) {
          next_ += length;
          fail_here("this bracket has no partner");
        }
        ++length;
      }
    }
    return take(trimmed);
  }

  std::string comment() {
    if (!looking_at('#')) {
      fail_here("expected '# comment' or the end of the line");
    }
    const size_t begin = next_ + (rest().substr(0, 2) == "# " ? 2 : 1);
    const size_t line_end = std::min(source_.text.find('\n', next_), end_);
    if (line_end < end_) {
      next_ = line_end;
      skip_space();
      fail_here("a comment ends a node; this line belongs to none");
    }
    return unescaped(std::string_view(source_.text).substr(begin, end_ - begin));
  }

  const SourceText& source_;
  size_t next_;
  size_t end_;
};

}  // namespace

Document parse_document(const SourceText& source) {
  const std::vector<SourceSpan> lines = lines_of(source.text);
  if (lines.empty()) {
    fail_at(source, {0, 0}, "expected a stage's header: einsum, tra, ia or tasks");
  }
  Document document = LineReader(source, lines[0]).header();
  for (size_t line = 1; line < lines.size(); ++line) {
    document.nodes.push_back(LineReader(source, lines[line]).node());
  }
  return document;
}

const Field* Description::find(const std::string& name) const {
  for (const Field& parameter : parameters) {
    if (parameter.name == name) {
      return &parameter;
    }
  }
  return nullptr;
}

}  // namespace tessera::ir
