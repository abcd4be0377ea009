#pragma once

#include <cstdint>
#include <vector>

#include "types/shape.h"
#include "types/storage_order.h"

namespace tessera::kernels {

/// What moving tiles between files and memory costs, for one thread.
///
/// Measured in C++ alone on two cores of a Xeon at 2.5 GHz with ext4, 2026-11, as CPU seconds; a
/// file is in the system's cache where that is not said.
struct FileCosts {
  /// Every byte once: read from disk past the cache (measured), or written to new pages (2.6e9) and
  /// brought to the disk.
  double bytes_per_second = 1.7e9;
  /// Every byte of a span (types/box_spans.h), gaps included. Measured in spans of 256 KiB: 23e9
  /// read and 15e9 written; 12e9 and 9.5e9 where the buffer was not in the CPU's cache.
  double span_bytes_read_per_second = 12e9;
  double span_bytes_written_per_second = 9e9;
  double read_call_seconds = 0.4e-6;   // measured: 0.37e-6 for 4 bytes, 0.66e-6 for 4096
  double write_call_seconds = 1.3e-6;  // measured: 1.21e-6 for 4 bytes, 1.96e-6 for 4096
  double run_seconds = 3e-9;           // to copy a run into or out of a span; measured: 1.6e-9 up
                                       // to 64 bytes, 5e-9 for 256
  double transposed_element_seconds = 2e-9;  // of a column-major file; as calibration.h has it
};

/// An array as it stands in a file.
struct FileArray {
  Shape shape;
  int64_t element_bytes = 0;
  StorageOrder order = StorageOrder::row_major;
};

enum class FileDirection : uint8_t { read, write };

/// What tiles take.
struct FileEstimate {
  double runs = 0;  // of contiguous bytes of the file into which the tiles fall
  double seconds = 0;
};

/// One tile with these extents. REQUIRES as spans_of; a tile without elements costs nothing.
FileEstimate file_estimate(const FileArray& array, const Shape& extent, FileDirection direction,
                           const FileCosts& costs);

/// All tiles of an array that is cut into pieces of these lengths, by mode, the last ones shorter.
FileEstimate file_estimate_of_tiles(const FileArray& array, const std::vector<int64_t>& lengths,
                                    FileDirection direction, const FileCosts& costs);

}  // namespace tessera::kernels
