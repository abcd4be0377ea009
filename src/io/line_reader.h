#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/file.h"

namespace tessera::io {

/// A reader of a text file line by line, through a buffer of 256 KiB, or of the longest line.
/// REQUIRES the file lives as long.
class LineReader {
 public:
  explicit LineReader(const File& file) : file_(file), bytes_(file.size()) {}

  /// Moves to the next line. Returns false at the end. A byte order mark at the beginning is
  /// skipped.
  bool next();

  /// Returns the line without its end (\n or \r\n); valid until next().
  std::string_view line() const { return line_; }
  int64_t number() const { return number_; }  // from 1

 private:
  bool fill();

  const File& file_;
  int64_t bytes_;
  int64_t read_ = 0;  // bytes of the file that are or were in the buffer
  std::string buffer_;
  size_t next_ = 0;  // start of the next line in the buffer
  std::string_view line_;
  int64_t number_ = 0;
};

}  // namespace tessera::io
