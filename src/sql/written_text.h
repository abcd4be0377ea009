#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "io/atomic_file.h"

namespace tessera::sql {

/// A text on its way to a file, of which a part is in memory at a time. Errors: those of the file.
class WrittenText {
 public:
  /// The file outlives it.
  explicit WrittenText(io::AtomicFile& file) : file_(file) {}

  void add(const std::string& text) {
    block_ += text;
    if (block_.size() >= kBytesOfBlock) {
      finish();
    }
  }
  /// Writes what is in memory.
  void finish() {
    const auto bytes = static_cast<int64_t>(block_.size());
    file_.write_at(num_written_, reinterpret_cast<const std::byte*>(block_.data()), bytes);
    num_written_ += bytes;
    block_.clear();
  }

 private:
  static constexpr size_t kBytesOfBlock = size_t{1} << 18;

  io::AtomicFile& file_;
  std::string block_;
  int64_t num_written_ = 0;
};

}  // namespace tessera::sql
