#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tessera::sql {

/// The records of a CSV text (RFC 4180): fields may be in quotes, and then hold delimiters, line
/// ends and doubled quotes. A field that is empty and not in quotes is NULL, as PostgreSQL has it.
class CsvReader {
 public:
  using Record = std::vector<std::optional<std::string>>;

  /// The text outlives it; `name` is the file's, for errors.
  CsvReader(std::string name, const std::string& text, char delimiter)
      : name_(std::move(name)), text_(text), delimiter_(delimiter) {}

  /// The next record; nothing behind the last. Errors: `user`, with the line, where a quote is not
  /// closed.
  std::optional<Record> next();
  /// The line that the last record began in, from 1.
  int64_t line() const { return record_line_; }

 private:
  std::optional<std::string> field();

  std::string name_;
  const std::string& text_;
  char delimiter_;
  size_t place_ = 0;
  int64_t line_ = 1;
  int64_t record_line_ = 1;
};

}  // namespace tessera::sql
