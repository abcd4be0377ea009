#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::sql {

/// The records of a CSV file (RFC 4180), of which a part is in memory at a time: fields may be in
/// quotes, and then hold delimiters, line ends and doubled quotes. A field that is empty and not in
/// quotes is NULL, as PostgreSQL has it.
class CsvReader {
 public:
  using Record = std::vector<std::optional<std::string>>;

  /// Reads a text. Errors name it `name`.
  CsvReader(std::string name, const std::string& text, char delimiter);
  /// Reads a file. Errors: `user` if there is no such file.
  CsvReader(const std::string& file, char delimiter);

  /// The next record; nothing behind the last. Errors: `user`, with the line, where a quote is not
  /// closed.
  std::optional<Record> next();
  /// The line that the last record began in, from 1.
  int64_t line() const { return record_line_; }

 private:
  std::optional<std::string> field();
  /// True if there is no character left. Else the next one is in memory.
  bool is_at_end();
  char here() const { return block_[place_]; }

  std::string name_;
  std::unique_ptr<std::istream> text_;
  char delimiter_;
  std::string block_;  // of the text, of which what is before the place was read
  size_t place_ = 0;
  int64_t line_ = 1;
  int64_t record_line_ = 1;
};

}  // namespace tessera::sql
