#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/file.h"

namespace tessera::io {

/// The CRC-32s of the blocks of a file's first bytes, and their place behind those.
struct BlockSums {
  enum class Form { binary, text };  // 4 bytes each, little-endian; 8 hexadecimal digits and "\n"

  int64_t bytes = 0;        // in blocks
  int64_t block_bytes = 0;  // the last block may have fewer
  int64_t offset = 0;       // of the first checksum
  Form form = Form::binary;

  int64_t num_blocks() const { return (bytes + block_bytes - 1) / block_bytes; }
  int64_t end_of(int64_t block) const { return std::min(bytes, (block + 1) * block_bytes); }
  /// Returns the end of the last checksum.
  int64_t end() const;
};

/// The message for a file with a block that has another checksum.
inline constexpr const char* kOtherSums = "its bytes do not have the checksums that it says";

uint32_t checksum_of(std::span<const std::byte> bytes);

/// Reads the checksums that the file records for some blocks. Errors: those of File::read_exactly.
std::vector<uint32_t> stored_sums(const File& file, const BlockSums& sums, int64_t first,
                                  int64_t count);

/// Reads all blocks, by `num_threads` threads, and writes their checksums, which are binary.
/// Errors: those of File.
void store_sums(const File& file, const BlockSums& sums, int64_t num_threads);

/// True if all blocks have the checksums that the file records. Errors: those of
/// File::read_exactly.
bool has_stored_sums(const File& file, const BlockSums& sums, int64_t num_threads);

}  // namespace tessera::io
