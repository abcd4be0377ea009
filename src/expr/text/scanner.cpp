#include "expr/text/scanner.h"

#include <algorithm>
#include <charconv>
#include <complex>
#include <limits>
#include <utility>

#include "base/diagnostic.h"

namespace tessera::expr {

namespace {

bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

bool starts_name(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
         (static_cast<unsigned char>(byte) & 0x80) != 0;
}

bool continues_name(char byte) {
  return starts_name(byte) || is_digit(byte) || byte == '.' || byte == '\'';
}

/// Counts the bytes at the start of the text that are a name: a word, and versions `{3}` after it.
size_t name_length(std::string_view text) {
  if (text.empty() || !starts_name(text[0])) {
    return 0;
  }
  size_t length = 1;
  while (length < text.size() && continues_name(text[length])) {
    ++length;
  }
  while (length < text.size() && text[length] == '{') {
    size_t close = length + 1;
    while (close < text.size() && is_digit(text[close])) {
      ++close;
    }
    if (close == length + 1 || close == text.size() || text[close] != '}') {
      break;
    }
    length = close + 1;
  }
  return length;
}

size_t count_digits(std::string_view text, size_t from) {
  size_t end = from;
  while (end < text.size() && is_digit(text[end])) {
    ++end;
  }
  return end - from;
}

/// Counts the bytes of an unsigned number: digits, a fraction, an exponent.
size_t unsigned_number_length(std::string_view text) {
  size_t length = count_digits(text, 0);
  if (length == 0) {
    return 0;
  }
  if (length < text.size() && text[length] == '.') {
    length += 1 + count_digits(text, length + 1);
  }
  if (length < text.size() && (text[length] == 'e' || text[length] == 'E')) {
    const bool has_sign =
        length + 1 < text.size() && (text[length + 1] == '+' || text[length + 1] == '-');
    const size_t exponent = length + 1 + (has_sign ? 1 : 0);
    if (count_digits(text, exponent) > 0) {
      length = exponent + count_digits(text, exponent);
    }
  }
  return length;
}

std::optional<double> read_double(std::string_view text) {
  double value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stopped != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

template <class T>
std::optional<T> read_integer(std::string_view text) {
  T value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stopped == text.data() + text.size() ? std::optional(value)
                                                                      : std::nullopt;
}

std::optional<Literal> read_number(const std::string& digits) {
  if (digits.find_first_of(".eE") != std::string::npos) {
    const std::optional<double> value = read_double(digits);
    return value ? std::optional<Literal>(*value) : std::nullopt;
  }
  if (const auto value = read_integer<int64_t>(digits)) {
    return Literal(*value);
  }
  if (const auto value = read_integer<uint64_t>(digits)) {
    return Literal(*value);
  }
  return std::nullopt;
}

/// Takes `1.5`, `-2`, `inf` or `nan` from the start of a text; a part of a complex number.
std::optional<double> take_part(std::string_view& text, bool needs_sign) {
  size_t length = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  if (needs_sign && length == 0) {
    return std::nullopt;
  }
  const bool negative = length == 1 && text[0] == '-';
  const std::string_view number = text.substr(length);
  double value = 0;
  if (number.substr(0, 3) == "inf" || number.substr(0, 3) == "nan") {
    value = number[0] == 'i' ? std::numeric_limits<double>::infinity()
                             : std::numeric_limits<double>::quiet_NaN();
    length += 3;
  } else {
    const size_t digits = unsigned_number_length(number);
    const std::optional<double> read = read_double(number.substr(0, digits));
    if (digits == 0 || !read) {
      return std::nullopt;
    }
    value = *read;
    length += digits;
  }
  text.remove_prefix(length);
  return negative ? -value : value;
}

}  // namespace

std::string written_name(const std::string& name) {
  if (!name.empty() && name_length(name) == name.size()) {
    return name;
  }
  std::string text = "\"";
  for (const char byte : name) {
    if (byte == '"' || byte == '\\') {
      text += '\\';
    }
    text += byte == '\n' ? "\\n" : std::string(1, byte);
  }
  return text + "\"";
}

Scanner::Scanner(const SourceText& source) : source_(source), end_(source.text.size()) {}

Scanner::Scanner(const SourceText& source, SourceSpan part)
    : source_(source),
      next_(static_cast<size_t>(part.begin)),
      end_(std::min(static_cast<size_t>(part.end), source.text.size())) {}

void Scanner::skip_space() {
  const std::string_view space = " \t\r\n";
  while (next_ < end_ && space.find(source_.text[next_]) != std::string_view::npos) {
    ++next_;
  }
}

bool Scanner::at_end() {
  skip_space();
  return next_ == end_;
}

int64_t Scanner::position() {
  skip_space();
  return static_cast<int64_t>(next_);
}

bool Scanner::looking_at(std::string_view symbol) {
  skip_space();
  return rest().substr(0, symbol.size()) == symbol;
}

bool Scanner::accept(std::string_view symbol) {
  if (!looking_at(symbol)) {
    return false;
  }
  next_ += symbol.size();
  return true;
}

void Scanner::expect(std::string_view symbol) {
  if (!accept(symbol)) {
    fail_expected(fmt::format("'{}'", symbol));
  }
}

bool Scanner::accept_word(std::string_view word) {
  if (!looking_at(word) || name_length(rest()) > word.size()) {
    return false;
  }
  next_ += word.size();
  return true;
}

void Scanner::expect_end() {
  if (!at_end()) {
    fail_expected("the end");
  }
}

bool Scanner::looking_at_name() {
  skip_space();
  return next_ < end_ && (source_.text[next_] == '"' || starts_name(source_.text[next_]));
}

std::string Scanner::name() {
  if (!looking_at_name()) {
    fail_expected("a name");
  }
  if (source_.text[next_] == '"') {
    return quoted_name();
  }
  std::string name(rest().substr(0, name_length(rest())));
  next_ += name.size();
  return name;
}

std::string Scanner::quoted_name() {
  const int64_t begin = static_cast<int64_t>(next_);
  std::string name;
  for (++next_; next_ < end_ && source_.text[next_] != '"'; ++next_) {
    char byte = source_.text[next_];
    if (byte == '\\' && next_ + 1 < end_) {
      byte = source_.text[++next_];
      byte = byte == 'n' ? '\n' : byte;
    }
    name += byte;
  }
  if (next_ == end_) {
    fail({begin, begin + 1}, "this quote is not closed");
  }
  ++next_;
  return name;
}

int64_t Scanner::integer() {
  const int64_t begin = position();
  const size_t length = (looking_at("-") ? 1 : 0);
  const size_t digits = count_digits(rest(), length);
  const std::string text(rest().substr(0, length + digits));
  if (digits == 0) {
    fail_expected("a whole number");
  }
  next_ += text.size();
  const std::optional<int64_t> value = read_integer<int64_t>(text);
  if (!value) {
    fail(since(begin), fmt::format("{} does not fit 64 bits", text));
  }
  return *value;
}

DType Scanner::dtype() {
  const int64_t begin = position();
  const std::string word = name();
  const std::optional<DType> dtype = parse_dtype(word);
  if (!dtype) {
    fail(since(begin), fmt::format("{} is not a dtype", word), "f32, f64, i64, b1, ...");
  }
  return *dtype;
}

std::optional<Literal> Scanner::accept_literal(bool negative) {
  skip_space();
  if (auto complex = accept_complex(negative)) {
    return complex;
  }
  const double sign = negative ? -1.0 : 1.0;
  if (accept_word("inf")) {
    return sign * std::numeric_limits<double>::infinity();
  }
  if (accept_word("nan")) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (!negative && looking_at("true") && accept_word("true")) {
    return true;
  }
  if (!negative && looking_at("false") && accept_word("false")) {
    return false;
  }
  const size_t length = unsigned_number_length(rest());
  if (length == 0) {
    return std::nullopt;
  }
  const std::string digits = (negative ? "-" : "") + std::string(rest().substr(0, length));
  const std::optional<Literal> value = read_number(digits);
  if (!value) {
    const int64_t begin = static_cast<int64_t>(next_);
    fail({begin, begin + static_cast<int64_t>(length)}, fmt::format("{} is out of range", digits));
  }
  next_ += length;
  return value;
}

std::optional<Literal> Scanner::accept_complex(bool negative) {
  std::string_view text = rest();
  if (negative || text.empty() || text[0] != '(') {
    return std::nullopt;
  }
  text.remove_prefix(1);
  const std::optional<double> real = take_part(text, false);
  const std::optional<double> imaginary = real ? take_part(text, true) : std::nullopt;
  if (!imaginary || text.substr(0, 2) != "j)") {
    return std::nullopt;
  }
  next_ = end_ - (text.size() - 2);
  return std::complex<double>(*real, *imaginary);
}

void Scanner::fail(SourceSpan place, const std::string& message, const std::string& help) const {
  Diagnostics diagnostics(source_);
  diagnostics.add({ErrorKind::user, place, message, help, {}});
  throw Error(std::move(diagnostics));
}

void Scanner::fail_expected(const std::string& what) {
  const int64_t begin = position();
  if (next_ == end_) {
    fail({begin, begin}, fmt::format("expected {}, but the text ends here", what));
  }
  const size_t word = std::max<size_t>(1, name_length(rest()));
  fail({begin, begin + static_cast<int64_t>(word)},
       fmt::format("expected {}, not '{}'", what, rest().substr(0, word)));
}

}  // namespace tessera::expr
