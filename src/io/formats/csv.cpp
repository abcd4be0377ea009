// Numbers in a text file, one row per line. Read only.
//
//   # lines that begin with '#', and blank lines, are skipped
// height;width            a first line without a number names the columns; some of its fields may
//                           be empty (pandas writes one before a column of row names)
//   1.5;2                   fields are separated by ';', else a tab, else ',', else blanks:
//   nan;-inf                the first of them that the first line has
//
// The file is parsed when it is opened: text has no positions to read a tile from. Numbers beyond
// the first MiB go to a file without a name. Convert large data to .npy.

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fast_float/fast_float.h>

#include "base/error.h"
#include "base/temporary_file.h"
#include "base/utf8.h"
#include "io/file.h"
#include "io/format.h"
#include "io/line_reader.h"
#include "io/npy_array.h"
#include "io/npy_dtype.h"
#include "io/npy_header.h"

namespace tessera::io::format_csv {

namespace {

constexpr std::string_view kBlanks = " \t";
constexpr size_t kShown = 40;  // shown in a message

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
  // A number out of range is read as infinity or zero, like in Python.
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

/// Splits a line into fields without the blanks around them; views into the line.
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

/// A list of numbers: the last of them in memory, those before in a file without a name.
class NumberList {
 public:
  void add(double value) {
    if (recent_.size() == kMostInMemory) {
      move_to_file();
    }
    recent_.push_back(value);
  }

  int64_t size() const { return in_file_ + static_cast<int64_t>(recent_.size()); }

  /// Reads bytes of the list. Threads: any number at once.
  void read(int64_t offset, std::byte* into, int64_t bytes) const {
    const int64_t file_bytes = in_file_ * kNumberBytes;
    const int64_t from_file = std::clamp<int64_t>(file_bytes - offset, 0, bytes);
    if (from_file > 0) {
      file_->read_exactly(offset, into, from_file);
    }
    if (from_file < bytes) {
      const auto* const recent = reinterpret_cast<const std::byte*>(recent_.data());
      std::memcpy(into + from_file, recent + (offset + from_file - file_bytes),
                  static_cast<size_t>(bytes - from_file));
    }
  }

 private:
  static constexpr int64_t kNumberBytes = sizeof(double);
  static constexpr size_t kMostInMemory = (1 << 20) / kNumberBytes;

  void move_to_file() {
    if (!file_) {
      file_.emplace(open_unnamed(temporary_directory()));
    }
    const auto count = static_cast<int64_t>(recent_.size());
    file_->write_exactly(in_file_ * kNumberBytes,
                         reinterpret_cast<const std::byte*>(recent_.data()), count * kNumberBytes);
    in_file_ += count;
    recent_.clear();
  }

  std::vector<double> recent_;
  std::optional<File> file_;
  int64_t in_file_ = 0;
};

class TableParser {
 public:
  explicit TableParser(const File& file) : file_(file.path()), lines_(file) {}

  /// Adds the numbers row by row; num_columns() of them in each.
  void parse(NumberList& numbers) {
    while (lines_.next()) {
      if (trimmed(lines_.line()).empty() || lines_.line().starts_with('#')) {
        continue;
      }
      const bool first = separator_ == '\0';
      if (first) {
        separator_ = separator_of(trimmed(lines_.line()));
      }
      const std::vector<std::string_view> fields = split(lines_.line(), separator_);
      if (!first || !is_header(fields)) {
        parse_row(fields, numbers);
      }
    }
    TESSERA_USER_CHECK(
        numbers.size() > 0, "{} holds no numbers{}", file_,
        separator_ == '\0'
            ? ""
            : "; its only line names columns, because none of its fields is a number "
              "(numbers stand without quotes)");
  }

  int64_t num_columns() const { return num_columns_; }

 private:
  /// True if a first line names the columns: no field is a number, or the first is empty, like
  /// pandas's name of an index, and the numbers are whole, which measured values are not.
  static bool is_header(const std::vector<std::string_view>& fields) {
    const auto is_empty = [](std::string_view field) { return field.empty(); };
    const auto is_whole = [](std::string_view field) {
      return field.find_first_not_of("0123456789") == std::string_view::npos;
    };
    const bool names_index = fields.front().empty();
    return !std::all_of(fields.begin(), fields.end(), is_empty) &&
           std::none_of(fields.begin(), fields.end(), [&](std::string_view field) {
             return parse_number(field).has_value() && !(names_index && is_whole(field));
           });
  }

  void parse_row(const std::vector<std::string_view>& fields, NumberList& numbers) {
    const auto count = static_cast<int64_t>(fields.size());
    if (num_columns_ == 0) {
      num_columns_ = count;
      first_row_ = lines_.number();
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
      numbers.add(*value);
    }
  }

  [[noreturn]] void fail(std::string_view at, const std::string& what) const {
    throw_error(ErrorKind::user, "{}:{}:{}: {}", file_, lines_.number(),
                at.data() - lines_.line().data() + 1, what);
  }

  const std::string& file_;
  LineReader lines_;
  char separator_ = '\0';  // until the first line is seen
  int64_t first_row_ = 0;
  int64_t num_columns_ = 0;
};

/// Returns the bytes of the .npy file with the numbers: its header, which is made when all rows are
/// counted, and the list.
ReadableBytes as_npy(const std::string& path, const Shape& shape,
                     const std::shared_ptr<const NumberList>& numbers, const FileStamp& stamp) {
  const std::string header = npy_header_bytes(npy_descr(DType::f64), shape);
  const auto header_bytes = static_cast<int64_t>(header.size());
  const auto read = [header, header_bytes, numbers](int64_t offset, std::byte* into,
                                                    int64_t bytes) {
    const int64_t from_header = std::clamp<int64_t>(header_bytes - offset, 0, bytes);
    if (from_header > 0) {
      std::memcpy(into, header.data() + offset, static_cast<size_t>(from_header));
    }
    numbers->read(offset + from_header - header_bytes, into + from_header, bytes - from_header);
  };
  return {path, NpyWriter::total_bytes({DType::f64, shape}), read, {}, stamp_text(stamp)};
}

std::unique_ptr<store::TileSource> open_csv(const Place& place, std::optional<DType> declared) {
  TESSERA_USER_CHECK(!declared || declared == DType::f64,
                     "{} is text, which is read as f64, but {} was declared; declare f64",
                     place.path, name_of(*declared));
  const File file = open_to_read(place.path);
  const FileStamp stamp = file.stamp();
  TableParser parser(file);
  const auto numbers = std::make_shared<NumberList>();
  parser.parse(*numbers);
  file.check_unchanged(stamp);
  const int64_t num_rows = numbers->size() / parser.num_columns();
  const Shape shape =
      parser.num_columns() == 1 ? Shape{num_rows} : Shape{num_rows, parser.num_columns()};
  return open_npy_array(as_npy(place.path, shape, numbers, stamp), {}, [] { return false; });
}

}  // namespace

void register_format(FormatRegistry& registry) {
  registry.add({.name = "csv",
                .extensions = {".csv", ".tsv", ".txt"},
                .summary = "Numbers in text, a row per line; read as f64, all at the opening",
                .open = &open_csv,
                .create = nullptr});
}

}  // namespace tessera::io::format_csv
