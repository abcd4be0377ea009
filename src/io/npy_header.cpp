#include "io/npy_header.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/utf8.h"

namespace tessera::io {

namespace {

// byte 0  1  2  3  4  5  6      7      8 ...                   data_offset
//     93  N  U  M  P  Y  major  minor  length (2 or 4 bytes)  { 'descr': '<f4', ... }  \n  elements
constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kVersionAt = 6;
constexpr size_t kLengthAt = 8;
constexpr int64_t kAlignment = 64;

int64_t little_endian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t position = bytes.size(); position-- > 0;) {
    value = (value << 8) | static_cast<unsigned char>(bytes[position]);
  }
  return static_cast<int64_t>(value);
}

std::string describe_beginning(std::string_view beginning) {
  if (beginning.empty()) {
    return "is empty";
  }
  if (beginning.starts_with("PK\x03\x04")) {
    return "is a zip archive; for an .npz, save one array with numpy.save";
  }
  if (beginning.starts_with("\x89HDF")) {
    return "is an HDF5 file";
  }
  return fmt::format("starts with the bytes {:02x}",
                     fmt::join(beginning.substr(0, kMagic.size()), " "));
}

/// A parser of the Python literal of the header: a dict of 'descr', 'fortran_order' and 'shape'.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  NpyHeader parse() {
    NpyHeader header;
    expect('{');
    while (!accept('}')) {
      parse_entry(header);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (next_ != text_.size()) {
      fail("the end of the header");
    }
    if (!has_descr_ || !has_order_ || !has_shape_) {
      fail("the keys 'descr', 'fortran_order' and 'shape'");
    }
    return header;
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const {
    constexpr size_t kShown = 20;
    throw_error(ErrorKind::user,
                "{} has a damaged .npy header: expected {} at byte {} of it, found '{}'", file_,
                expected, next_, printable(text_.substr(next_), kShown));
  }

  void skip_blanks() {
    while (next_ < text_.size() && std::string_view(" \t\r\n").find(text_[next_]) != text_.npos) {
      ++next_;
    }
  }

  bool accept(char character) {
    skip_blanks();
    if (next_ == text_.size() || text_[next_] != character) {
      return false;
    }
    ++next_;
    return true;
  }

  void expect(char character) {
    if (!accept(character)) {
      fail(fmt::format("'{}'", character));
    }
  }

  void parse_entry(NpyHeader& header) {
    const std::string key = parse_string();
    expect(':');
    if (key == "descr") {
      claim(has_descr_);
      header.descr = parse_descr();
    } else if (key == "fortran_order") {
      claim(has_order_);
      header.fortran_order = parse_bool();
    } else if (key == "shape") {
      claim(has_shape_);
      header.shape = parse_shape();
    } else {
      fail("'descr', 'fortran_order' or 'shape' as the key");
    }
  }

  void claim(bool& seen) {
    if (seen) {
      fail("each key once");
    }
    seen = true;
  }

  std::string parse_string() {
    skip_blanks();
    const char quote = next_ < text_.size() ? text_[next_] : '\0';
    if (quote != '\'' && quote != '"') {
      fail("a quoted string");
    }
    const size_t end = text_.find(quote, next_ + 1);
    if (end == text_.npos) {
      fail("a quoted string with its end");
    }
    const std::string value(text_.substr(next_ + 1, end - next_ - 1));
    next_ = end + 1;
    return value;
  }

  /// Reads a string, or the text of a list or tuple (a structured dtype) up to its closing bracket.
  std::string parse_descr() {
    skip_blanks();
    if (next_ == text_.size() || (text_[next_] != '[' && text_[next_] != '(')) {
      return parse_string();
    }
    const size_t begin = next_;
    int64_t depth = 0;
    do {
      if (next_ == text_.size()) {
        fail("the end of the dtype's list");
      }
      const char character = text_[next_];
      if (character == '\'' || character == '"') {
        parse_string();
        continue;
      }
      depth += character == '[' || character == '(' ? 1 : 0;
      depth -= character == ']' || character == ')' ? 1 : 0;
      ++next_;
    } while (depth > 0);
    return std::string(text_.substr(begin, next_ - begin));
  }

  bool parse_bool() {
    skip_blanks();
    for (const auto& [word, value] :
         {std::pair{std::string_view("True"), true}, std::pair{std::string_view("False"), false}}) {
      if (text_.substr(next_).starts_with(word)) {
        next_ += word.size();
        return value;
      }
    }
    fail("True or False");
  }

  Shape parse_shape() {
    Shape shape;
    expect('(');
    bool ended_by_comma = true;  // (3) is a number to Python, (3,) a tuple
    while (!accept(')')) {
      if (!ended_by_comma) {
        fail("',' or ')'");
      }
      shape.push_back(parse_extent());
      ended_by_comma = accept(',');
    }
    if (shape.size() == 1 && !ended_by_comma) {
      fail("a tuple as the shape");
    }
    return shape;
  }

  int64_t parse_extent() {
    skip_blanks();
    int64_t extent = 0;
    const char* const begin = text_.data() + next_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), extent);
    if (error != std::errc() || extent < 0) {
      fail("an extent from 0 to 2^63 - 1");
    }
    if (*begin == '0' && end - begin > 1) {
      fail("an extent without a leading zero");
    }
    next_ += static_cast<size_t>(end - begin);
    if (next_ < text_.size() && text_[next_] == 'L') {
      ++next_;  // written by Python 2
    }
    return extent;
  }

  std::string_view text_;
  const std::string& file_;
  size_t next_ = 0;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

void check_extents(const Shape& shape, const std::string& file) {
  constexpr int64_t kLargestElement = 16;
  int64_t bytes = kLargestElement;
  for (const int64_t extent : shape) {
    const bool overflows = extent > 0 && __builtin_mul_overflow(bytes, extent, &bytes);
    TESSERA_USER_CHECK(!overflows, "{} has a damaged .npy header: no memory holds its shape {}",
                       file, to_string(shape));
  }
}

/// Formats "(2, 3)", "(2,)", "()".
std::string python_tuple(const Shape& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

}  // namespace

int64_t npy_data_offset(std::string_view beginning, const std::string& file) {
  TESSERA_USER_CHECK(beginning.starts_with(kMagic),
                     "{} is not an .npy file: it {}; write one with numpy.save", file,
                     describe_beginning(beginning));
  TESSERA_USER_CHECK(beginning.size() >= static_cast<size_t>(kNpyPreambleBytes),
                     "{} is cut off: it ends at byte {}, within the .npy header", file,
                     beginning.size());
  const int major = static_cast<unsigned char>(beginning[kVersionAt]);
  const int minor = static_cast<unsigned char>(beginning[kVersionAt + 1]);
  TESSERA_USER_CHECK(major >= 1 && major <= 3 && minor == 0,
                     "{} is an .npy file of version {}.{}; versions 1.0, 2.0 and 3.0 can be read",
                     file, major, minor);
  const size_t length_bytes = major == 1 ? 2 : 4;
  const int64_t length = little_endian(beginning.substr(kLengthAt, length_bytes));
  TESSERA_USER_CHECK(length <= kMaxNpyHeaderBytes,
                     "{} has a damaged .npy header: its length is given as {} bytes (at most {})",
                     file, length, kMaxNpyHeaderBytes);
  return static_cast<int64_t>(kLengthAt + length_bytes) + length;
}

NpyHeader parse_npy_header(std::string_view bytes, const std::string& file) {
  const int64_t data_offset = npy_data_offset(bytes, file);
  TESSERA_USER_CHECK(static_cast<int64_t>(bytes.size()) >= data_offset,
                     "{} is cut off: it ends at byte {}, within the .npy header of {} bytes", file,
                     bytes.size(), data_offset);
  const size_t begin = bytes[kVersionAt] == 1 ? 10 : 12;
  const size_t end = static_cast<size_t>(data_offset);
  NpyHeader header = HeaderParser(bytes.substr(begin, end - begin), file).parse();
  check_extents(header.shape, file);
  header.data_offset = data_offset;
  return header;
}

std::string npy_header_bytes(const std::string& descr, const Shape& shape) {
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr,
                                 python_tuple(shape));
  const auto padded = [&](size_t preamble) {
    const auto bytes = static_cast<int64_t>(preamble + dict.size() + 1);  // 1: the line's end
    return static_cast<size_t>((bytes + kAlignment - 1) / kAlignment * kAlignment) - preamble;
  };
  const bool short_form = padded(10) <= 0xFFFF;
  const size_t length = padded(short_form ? 10 : 12);
  dict.resize(length - 1, ' ');

  std::string bytes(kMagic);
  bytes += short_form ? '\x01' : '\x02';
  bytes += '\0';
  for (size_t position = 0; position < (short_form ? 2u : 4u); ++position) {
    bytes += static_cast<char>((length >> (8 * position)) & 0xFF);
  }
  return bytes + dict + '\n';
}

}  // namespace tessera::io
