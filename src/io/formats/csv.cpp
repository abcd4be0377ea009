// Numbers in a text file, one row per line. Read only.
//
//   # lines that begin with '#', and blank lines, are skipped
//   height;width            a first line of which no field is a number names the columns
//   1.5;2                   fields are separated by ';', else a tab, else ',', else blanks:
//   nan;-inf                the first of them that the first line has
//
// The file is parsed when it is opened and its numbers stay in memory, outside the memory budget:
// text has no positions to read a tile from. Convert large data to .npy.

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <fast_float/fast_float.h>

#include "base/error.h"
#include "base/utf8.h"
#include "io/file.h"
#include "io/format.h"

namespace tessera::io {

namespace {

constexpr std::string_view kBlanks = " \t";
constexpr size_t kShown = 40;  // characters of a field that a message shows

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) {
    return text.substr(text.size());
  }
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::optional<double> parse_number(std::string_view field) {
  if (field.starts_with('+') && !field.starts_with("+-")) {
    field.remove_prefix(1);
  }
  double value = 0;
  const char* const end = field.data() + field.size();
  const auto [rest, error] = fast_float::from_chars(field.data(), end, value);
  // Too large or too small a number is read as infinity or zero, as Python reads it.
  const bool number = error == std::errc() || error == std::errc::result_out_of_range;
  return number && rest == end && !field.empty() ? std::optional(value) : std::nullopt;
}

char separator_of(std::string_view line) {
  for (const char separator : {';', '\t', ','}) {
    if (line.find(separator) != line.npos) {
      return separator;
    }
  }
  return ' ';
}

/// The fields of a line without the blanks around them; views into the line.
std::vector<std::string_view> split(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  if (separator == ' ') {
    for (line = trimmed(line); !line.empty();) {
      const size_t end = std::min(line.find_first_of(kBlanks), line.size());
      fields.push_back(line.substr(0, end));
      line = trimmed(line.substr(end));
    }
    return fields;
  }
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find(separator, begin), line.size());
    fields.push_back(trimmed(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  return fields;
}

class TableParser {
 public:
  TableParser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  /// The numbers row by row; num_columns() of them in each.
  std::vector<double> parse() {
    std::vector<double> values;
    while (next_line()) {
      if (trimmed(line_).empty() || line_.starts_with('#')) {
        continue;
      }
      const bool first = separator_ == '\0';
      if (first) {
        separator_ = separator_of(trimmed(line_));
      }
      const std::vector<std::string_view> fields = split(line_, separator_);
      if (!first || !is_header(fields)) {
        parse_row(fields, values);
      }
    }
    TESSERA_USER_CHECK(!values.empty(), "{} holds no numbers", file_);
    return values;
  }

  int64_t num_columns() const { return num_columns_; }

 private:
  bool next_line() {
    if (text_.empty()) {
      return false;
    }
    const size_t end = std::min(text_.find('\n'), text_.size());
    line_ = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    if (line_.ends_with('\r')) {
      line_.remove_suffix(1);
    }
    ++line_number_;
    return true;
  }

  static bool is_header(const std::vector<std::string_view>& fields) {
    return std::none_of(fields.begin(), fields.end(), [](std::string_view field) {
      return field.empty() || parse_number(field).has_value();
    });
  }

  void parse_row(const std::vector<std::string_view>& fields, std::vector<double>& values) {
    const auto count = static_cast<int64_t>(fields.size());
    if (num_columns_ == 0) {
      num_columns_ = count;
      first_row_ = line_number_;
    }
    if (count != num_columns_) {
      fail(fields.back(),
           fmt::format("{} fields, but line {} has {}", count, first_row_, num_columns_));
    }
    for (const std::string_view field : fields) {
      const std::optional<double> value = parse_number(field);
      if (!value) {
        fail(field, field.empty() ? "an empty field; write nan where a value is missing"
                                  : fmt::format("'{}' is not a number", printable(field, kShown)));
      }
      values.push_back(*value);
    }
  }

  [[noreturn]] void fail(std::string_view at, const std::string& what) const {
    throw_error(ErrorKind::user, "{}:{}:{}: {}", file_, line_number_, at.data() - line_.data() + 1,
                what);
  }

  std::string_view text_;
  const std::string& file_;
  std::string_view line_;
  char separator_ = '\0';  // until the first line is seen
  int64_t line_number_ = 0;
  int64_t first_row_ = 0;
  int64_t num_columns_ = 0;
};

class TableSource : public store::TileSource {
 public:
  TableSource(ArrayType type, std::vector<double> values)
      : type_(std::move(type)), values_(std::move(values)) {}

  ArrayType type() const override { return type_; }

  void read(const TileView& into) const override {
    TESSERA_CHECK(into.dtype == type_.dtype && into.shape.size() == type_.shape.size(),
                  "{} read as {}", to_string(type_), to_string(ArrayType{into.dtype, into.shape}));
    // A view has no const form; the copy reads from it only.
    auto* const data = reinterpret_cast<std::byte*>(const_cast<double*>(values_.data()));
    const TileView table = dense_view(data, type_.dtype, whole(type_.shape));
    copy_elements(subview(table, {into.origin, into.shape}), into);
  }

 private:
  ArrayType type_;
  std::vector<double> values_;
};

std::string read_text(const std::string& path) {
  const File file = open_to_read(path);
  const FileStamp stamp = file.stamp();
  std::string text(static_cast<size_t>(file.size()), '\0');
  file.read_exactly(0, reinterpret_cast<std::byte*>(text.data()),
                    static_cast<int64_t>(text.size()));
  file.check_unchanged(stamp);
  return text;
}

std::unique_ptr<store::TileSource> open_csv(const Place& place, std::optional<DType> declared) {
  TESSERA_USER_CHECK(!declared || declared == DType::f64,
                     "{} is text, which is read as f64, but {} was declared; declare f64",
                     place.path, name_of(*declared));
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const std::string bytes = read_text(place.path);
  std::string_view text = bytes;
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  TableParser parser(text, place.path);
  std::vector<double> values = parser.parse();
  const int64_t num_rows = static_cast<int64_t>(values.size()) / parser.num_columns();
  const Shape shape =
      parser.num_columns() == 1 ? Shape{num_rows} : Shape{num_rows, parser.num_columns()};
  return std::make_unique<TableSource>(ArrayType{DType::f64, shape}, std::move(values));
}

}  // namespace

void register_format_csv(FormatRegistry& registry) {
  registry.add({.name = "csv",
                .extensions = {".csv", ".tsv", ".txt"},
                .summary = "Numbers in text, a row per line; read as f64, with memory for all",
                .open = &open_csv,
                .create = nullptr});
}

}  // namespace tessera::io
