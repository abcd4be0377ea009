#include "frontend/einsum/equation/syntax.h"

#include <algorithm>
#include <string_view>

#include "base/utf8.h"

namespace tessera::frontend {

namespace {

constexpr std::string_view kNotation =
    "a label is one letter; ',' separates operands, '->' precedes the output, '...' stands for the "
    "remaining modes";

/// Returns the code point of a well-formed character.
uint32_t code_point(std::string_view character) {
  if (character.size() == 1) {
    return static_cast<unsigned char>(character[0]);
  }
  uint32_t code = static_cast<unsigned char>(character[0]) & (0xFFu >> (character.size() + 1));
  for (const char byte : character.substr(1)) {
    code = (code << 6) | (static_cast<unsigned char>(byte) & 0x3Fu);
  }
  return code;
}

bool is_space_above_ascii(uint32_t code) {
  return code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202F) || (code >= 0x205F && code <= 0x206F) ||
         code == 0x3000 || code == 0xFEFF;
}

bool is_label(std::string_view character) {
  const uint32_t code = code_point(character);
  if (code < 0x80) {
    return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
  }
  return code >= 0xA0 && !is_space_above_ascii(code) && !(code >= 0xD800 && code <= 0xDFFF);
}

/// A reader of an equation from left to right, one character at a time.
class Parser {
 public:
  Parser(std::string_view text, Diagnostics& findings) : text_(text), findings_(findings) {}

  EquationSyntax parse() {
    begin_term();
    while (at_ < text_.size()) {
      step();
    }
    end_term();
    return std::move(syntax_);
  }

 private:
  void step() {
    const char byte = text_[at_];
    if (byte == ' ' || byte == '\t') {
      ++at_;
    } else if (byte == ',') {
      read_comma();
    } else if (byte == '-' || byte == '>') {
      read_arrow();
    } else if (byte == '.') {
      read_dots();
    } else {
      read_label();
    }
  }

  void read_comma() {
    if (in_output_) {
      report(1, "the output is one term, but a ',' follows it",
             "write the operands before '->' and one term after it");
      ++at_;
      return;
    }
    end_term();
    ++at_;
    begin_term();
  }

  void read_arrow() {
    if (text_.substr(at_, 2) != "->") {
      report(1, fmt::format("'{}' is not part of an arrow", text_[at_]),
             "write the arrow as '->', without spaces inside");
      ++at_;
      return;
    }
    if (in_output_) {
      report(2, "a second '->'", "an equation has one output: write '->' once");
      at_ += 2;
      return;
    }
    end_term();
    at_ += 2;
    in_output_ = true;
    begin_term();
  }

  void read_dots() {
    const size_t end = std::min(text_.find_first_not_of('.', at_), text_.size());
    if (end - at_ == 3) {
      add_item("", 3);
      return;
    }
    size_t last = end;  // dots separated by spaces are one finding
    for (size_t next = end; next < text_.size() && (text_[next] == '.' || text_[next] == ' ');
         ++next) {
      last = text_[next] == '.' ? next + 1 : last;
    }
    report(last - at_, "dots that are no ellipsis",
           "an ellipsis is exactly three dots, without spaces inside: '...'");
    at_ = last;
  }

  void read_label() {
    const size_t length = length_of_character(text_, at_);
    if (length == 0) {
      report(1, fmt::format("byte 0x{:02x} is not UTF-8", static_cast<unsigned char>(text_[at_])),
             "save or pass the equation as UTF-8");
      ++at_;
      return;
    }
    const std::string character(text_.substr(at_, length));
    if (!is_label(character)) {
      report(length, fmt::format("{} cannot be a label", quoted(character)),
             std::string(kNotation));
      at_ += length;
      return;
    }
    add_item(character, length);
  }

  static std::string quoted(const std::string& character) {
    const uint32_t code = code_point(character);
    const bool visible = code > 0x20 && code != 0x7F && !(code >= 0x80 && code < 0xA0) &&
                         !is_space_above_ascii(code);
    return visible ? "'" + character + "'" : fmt::format("U+{:04X}", code);
  }

  void add_item(std::string label, size_t length) {
    if (label.empty() && term_.has_ellipsis()) {
      report(length, "a second ellipsis in one term",
             "'...' stands for all modes without a label: write it once");
    } else {
      term_.items.push_back({std::move(label), span(length)});
    }
    at_ += length;
  }

  void begin_term() { term_ = {{}, span(0)}; }

  void end_term() {
    if (!term_.items.empty()) {
      term_.span = {term_.items.front().span.begin, term_.items.back().span.end};
    }
    if (in_output_) {
      syntax_.output = std::move(term_);
    } else {
      syntax_.operands.push_back(std::move(term_));
    }
  }

  SourceSpan span(size_t length) const {
    return {static_cast<int64_t>(at_), static_cast<int64_t>(at_ + length)};
  }

  void report(size_t length, std::string message, std::string help) {
    findings_.add({ErrorKind::user, span(length), std::move(message), std::move(help), {}});
  }

  std::string_view text_;
  Diagnostics& findings_;
  size_t at_ = 0;
  bool in_output_ = false;
  EquationTerm term_;
  EquationSyntax syntax_;
};

}  // namespace

bool EquationTerm::has_ellipsis() const {
  return std::any_of(items.begin(), items.end(),
                     [](const EquationItem& item) { return item.is_ellipsis(); });
}

int64_t EquationTerm::num_labels() const {
  return static_cast<int64_t>(items.size()) - (has_ellipsis() ? 1 : 0);
}

EquationSyntax parse_equation(const SourceText& source, Diagnostics& findings) {
  return Parser(source.text, findings).parse();
}

}  // namespace tessera::frontend
