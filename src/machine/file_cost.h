#pragma once

#include <cstdint>
#include <vector>

#include "machine/machine.h"
#include "types/shape.h"
#include "types/storage_order.h"

namespace tessera {

/// An array in a file.
struct FileArray {
  Shape shape;
  int64_t element_bytes = 0;
  StorageOrder order = StorageOrder::row_major;
};

enum class FileDirection : uint8_t { read, write };

/// The estimated cost of tiles.
struct FileEstimate {
  double runs = 0;  // contiguous bytes of the file that the tiles consist of
  double seconds = 0;
};

/// Estimates one tile with these extents. REQUIRES extents like spans_of; an empty tile costs
/// nothing.
FileEstimate file_estimate(const FileArray& array, const Shape& extent, FileDirection direction,
                           const FileCosts& costs);

/// Estimates all tiles of an array cut into pieces of these lengths, by mode, the last ones
/// shorter.
FileEstimate file_estimate_of_tiles(const FileArray& array, const std::vector<int64_t>& lengths,
                                    FileDirection direction, const FileCosts& costs);

/// Estimates one tile with these extents that is gathered from a row-major array: extent[mode]
/// positions of one mode, anywhere. The modes behind a position are read at once; the positions of
/// modes before it are read one by one. `array` may be the array or its gathered result, which
/// differ in the extent of the mode.
FileEstimate gather_estimate(const FileArray& array, size_t mode, const Shape& extent,
                             const FileCosts& costs);

/// Estimates all gathered tiles, cut into pieces of these lengths, by mode. REQUIRES
/// array.shape[mode] gathered positions.
FileEstimate gather_estimate_of_tiles(const FileArray& array, size_t mode,
                                      const std::vector<int64_t>& lengths, const FileCosts& costs);

}  // namespace tessera
