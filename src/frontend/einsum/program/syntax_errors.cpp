#include "frontend/einsum/program/syntax_errors.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "base/suggest.h"
#include "frontend/einsum/program/iteration_help.h"

namespace tessera::frontend {

namespace {

std::string_view text_of(const LexerState& lexer, SourceSpan span) {
  const std::string_view text = lexer.findings.source().text;
  return text.substr(static_cast<size_t>(span.begin), static_cast<size_t>(span.end - span.begin));
}

bool is_among(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool is_keyword(std::string_view text) {
  return is_among(
      text, {"input", "output", "label", "param", "def", "aggregate", "identity", "where", "of"});
}

/// Returns the innermost bracket that was opened on an earlier line and is still open.
const SourceSpan* unclosed_bracket(const LexerState& lexer, SourceSpan token) {
  if (lexer.open.empty()) {
    return nullptr;
  }
  // An opening bracket that is itself the unexpected token is not to blame.
  const SourceSpan& open = lexer.open.back();
  const std::string_view text = lexer.findings.source().text;
  const std::string_view between =
      text.substr(static_cast<size_t>(open.begin), static_cast<size_t>(token.begin - open.begin));
  const bool at_end = token.begin >= static_cast<int64_t>(text.size());
  return open.begin < token.begin && (at_end || between.find('\n') != std::string_view::npos)
             ? &open
             : nullptr;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (size_t at = 0; at < names.size(); ++at) {
    text += at == 0 ? "" : at + 1 == names.size() ? " or " : ", ";
    text += names[at] == "( after ]" ? "(" : names[at];
  }
  return text;
}

/// Returns the last character before a place that is no space.
SourceSpan last_before(std::string_view text, int64_t place) {
  const size_t last = text.substr(0, static_cast<size_t>(place)).find_last_not_of(" \t\r\n\f\v");
  const int64_t at = last == std::string_view::npos ? 0 : static_cast<int64_t>(last);
  return {at, at + 1};
}

bool is_statement_end(std::string_view text) {
  return text.empty() || text == "\n";
}

std::string message_of(const LexerState& lexer, const UnexpectedToken& token) {
  const std::string_view text = text_of(lexer, token.span);
  std::string message = fmt::format("unexpected {}", text);
  if (is_statement_end(text)) {
    message = "the statement ends too early";
  }
  if (is_keyword(text)) {
    message = fmt::format("{} is a word of the language", text);
  }
  if (!token.expected.empty()) {
    const std::string expected = list_of(token.expected);
    message = text == "," ? fmt::format("unexpected comma: {} could stand here", expected)
                          : fmt::format("{}, where {} could stand", message, expected);
  }
  return message;
}

bool is_of_word(unsigned char sign) {
  return std::isalnum(sign) != 0 || sign == '_';
}

/// Returns the last word before a place; empty if it is a sign.
std::string_view word_before(std::string_view text, int64_t place) {
  const size_t end = text.substr(0, static_cast<size_t>(place)).find_last_not_of(" \t") + 1;
  size_t begin = end;
  while (begin > 0 && is_of_word(static_cast<unsigned char>(text[begin - 1]))) {
    --begin;
  }
  return text.substr(begin, end - begin);
}

/// Returns the word that the statement before a place consists of; empty if it is more than a word.
std::string_view only_word_before(std::string_view text, int64_t place) {
  text = text.substr(0, static_cast<size_t>(place));
  const size_t before = text.find_last_of("\n;");
  text = text.substr(before == std::string_view::npos ? 0 : before + 1);
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) {
    return "";
  }
  text = text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
  return std::all_of(text.begin(), text.end(), is_of_word) ? text : "";
}

/// Returns the text of the statement that a place is in, up to the place, with any statement around
/// it on the same line.
std::string_view statement_before(std::string_view text, int64_t place) {
  text = text.substr(0, static_cast<size_t>(place));
  const size_t before = text.find_last_of("\n;");
  text = text.substr(before == std::string_view::npos ? 0 : before + 1);
  return text.substr(std::min(text.find_first_not_of(" \t\r"), text.size()));
}

/// True if a statement begins as a loop of another language does.
bool begins_as_loop(std::string_view statement) {
  const auto end = std::find_if_not(statement.begin(), statement.end(), is_of_word);
  const std::string_view word =
      statement.substr(0, static_cast<size_t>(std::distance(statement.begin(), end)));
  const std::string_view rest = statement.substr(word.size());
  const size_t sign = rest.find_first_not_of(" \t");
  const bool is_defined =
      sign != std::string_view::npos && (rest[sign] == '[' || rest[sign] == '=');
  return !is_defined && is_among(word, {"for", "FOR", "while", "WHILE", "repeat", "loop", "do",
                                        "until", "foreach", "iterate"});
}

/// True if a word that begins statements is the first on a line: the statement then continues from
/// the line before.
bool begins_line_of_statement(std::string_view text, SourceSpan word_at, std::string_view word) {
  return word_at.begin > 0 && statement_before(text, word_at.begin).empty() &&
         is_among(word, {"input", "output", "label", "param", "def", "aggregate"});
}

/// True if a statement lists tensors on a side: `U[n], S[n] = ...`, `(U, S) = ...`, `U = a, b`.
/// `sign` is its first unexpected token, `after` the text after it.
bool lists_tensors(std::string_view statement, std::string_view sign, std::string_view after) {
  if (sign == "(") {
    const std::string_view line = after.substr(0, after.find('\n'));
    return statement.empty() && line.find(',') < line.find(')');
  }
  const auto end = std::find_if_not(statement.begin(), statement.end(), is_of_word);
  const auto length = static_cast<size_t>(std::distance(statement.begin(), end));
  return sign == "," && length > 0 && !is_keyword(statement.substr(0, length));
}

/// Returns the help for a statement that defines several tensors, or changes one.
std::string help_of_definition(const LexerState& lexer, const UnexpectedToken& token) {
  const std::string_view program = lexer.findings.source().text;
  const std::string_view sign = text_of(lexer, token.span);
  const std::string_view after = program.substr(static_cast<size_t>(token.span.end));
  const bool is_in_bracket = lexer.open.size() > (sign == "(" ? 1 : 0);
  if (is_in_bracket) {
    return "";
  }
  if (is_among(sign, {"+", "-", "*", "/"}) && after.starts_with('=')) {
    return fmt::format("a statement defines a tensor, once; {}", kRecurrenceHelp);
  }
  return lists_tensors(statement_before(program, token.span.begin), sign, after)
             ? "a statement defines one tensor: write one for each, U[i,k] = ... and S[k] = ..."
             : "";
}

/// Returns the help with the keyword that was probably meant by the first word of a statement.
std::string help_of_statement(std::string_view word) {
  if (is_among(word, {"return", "print", "outputs"})) {
    return "did you mean 'output'?";
  }
  if (is_among(word, {"parameter", "parameters"})) {
    return "did you mean 'param'?";
  }
  const std::vector<std::string> keywords = {"input", "output", "label",
                                             "param", "def",    "aggregate"};
  return word.empty() || begins_as_loop(word) ? "" : did_you_mean(std::string(word), keywords);
}

/// Returns the help for an unexpected token. `before` is the word before it.
std::string help_of(std::string_view text, std::string_view before, const UnexpectedToken& token) {
  const auto& expected = token.expected;
  if (text == "==" && std::find(expected.begin(), expected.end(), "=") != expected.end()) {
    return "a statement is NAME[labels] = expression; == compares two values";
  }
  if (is_among(text, {"if", "else"}) || is_among(before, {"if", "else"})) {
    return "a choice is where(condition, a, b)";
  }
  if (is_keyword(text)) {
    return "tensors, labels and parameters need other names";
  }
  if (text == ":") {
    return "a slice has a label and no step, X[e = 0:4]; X[2*i] takes every second element, "
           "X[9 - i] goes backwards";
  }
  if (is_among(text, {"==", "!=", "<", "<=", ">", ">="})) {
    return "comparisons do not chain: write a < b and b < c";
  }
  if (text == "=") {
    return "a statement is NAME[labels] = expression; equality is ==";
  }
  return "";
}

}  // namespace

void report_unexpected(LexerState& lexer, const UnexpectedToken& token) {
  if (const SourceSpan* open = unclosed_bracket(lexer, token.span)) {
    lexer.findings.add(
        {ErrorKind::user, *open, fmt::format("{} is not closed", text_of(lexer, *open)), "", {}});
  } else {
    const std::string_view text = text_of(lexer, token.span);
    const SourceSpan shown = is_statement_end(text)
                                 ? last_before(lexer.findings.source().text, token.span.begin)
                                 : token.span;
    const std::string_view program = lexer.findings.source().text;
    std::string help = help_of_definition(lexer, token);
    if (help.empty()) {
      help = help_of_statement(only_word_before(program, token.span.begin));
    }
    if (help.empty()) {
      help = help_of(text, word_before(program, token.span.begin), token);
    }
    const std::string_view statement = statement_before(program, token.span.begin);
    if (begins_as_loop(statement)) {
      const auto end = std::find_if_not(statement.begin(), statement.end(), is_of_word);
      const auto begin = static_cast<int64_t>(statement.data() - program.data());
      const SourceSpan word{begin, begin + (end - statement.begin())};
      lexer.findings.add({ErrorKind::user,
                          word,
                          fmt::format("{} begins no statement", text_of(lexer, word)),
                          std::string(kStepsHelp),
                          {}});
    } else if (begins_line_of_statement(program, token.span, text)) {
      const SourceSpan last = last_before(program, token.span.begin);
      lexer.findings.add({ErrorKind::user,
                          last,
                          fmt::format("something must follow {}, and the next line begins another "
                                      "statement",
                                      text_of(lexer, last)),
                          "",
                          {}});
    } else {
      lexer.findings.add({ErrorKind::user, shown, message_of(lexer, token), help, {}});
    }
  }
  lexer.open.clear();
}

}  // namespace tessera::frontend
