#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "io/block_sums.h"
#include "io/file.h"
#include "io/runs.h"

namespace tessera::io {

/// A file whose blocks are compared with their checksums the first time that bytes of them are
/// read. Errors: `resource` if a block is not what was written, and those of File::read_exactly.
/// Threads: any number.
class ComparedFile {
 public:
  ComparedFile(std::shared_ptr<const File> file, const BlockSums& sums);

  /// Read bytes, or runs of them. REQUIRES: blocks hold the bytes.
  void read(int64_t offset, std::byte* into, int64_t bytes);
  void read_runs(std::span<const Run> runs);

 private:
  bool was_right(int64_t block) const;
  void note_right(int64_t block);
  void read_through_blocks(int64_t offset, std::byte* into, int64_t bytes);
  void compare_alone(int64_t block);
  void compare(int64_t first, int64_t end, const std::byte* bytes);
  bool copy_window(const Window& window, std::span<const Run> runs);
  struct WindowCopy;
  static void copy_compared(const std::byte* mapped, void* state);
  [[noreturn]] void throw_damaged() const;

  std::shared_ptr<const File> file_;
  BlockSums sums_;
  std::vector<std::atomic<uint64_t>> right_;  // a bit for every block
};

}  // namespace tessera::io
