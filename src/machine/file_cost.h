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

/// One tile with these extents of what is gathered from an array that is stored row-major:
/// extent[mode] positions of one mode, anywhere. What lies behind a position is read at once; the
/// positions of modes before it are read one by one as well. `array` may be the array or what is
/// gathered from it, which differ in the extent of the mode.
FileEstimate gather_estimate(const FileArray& array, size_t mode, const Shape& extent,
                             const FileCosts& costs);

/// All tiles of it, cut into pieces of these lengths, by mode. REQUIRES array.shape[mode] positions
/// that are gathered.
FileEstimate gather_estimate_of_tiles(const FileArray& array, size_t mode,
                                      const std::vector<int64_t>& lengths, const FileCosts& costs);

}  // namespace tessera
