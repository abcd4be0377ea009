#pragma once

#include <cstdint>
#include <vector>

#include "machine/machine.h"
#include "types/shape.h"
#include "types/storage_order.h"

namespace tessera {

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

}  // namespace tessera
