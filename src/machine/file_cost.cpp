#include "machine/file_cost.h"

#include <algorithm>

#include "types/box_spans.h"

namespace tessera {

namespace {

FileEstimate row_major_estimate(const Shape& shape, const Shape& extent, int64_t element_bytes,
                                FileDirection direction, const FileCosts& costs) {
  const BoxSpans spans = spans_of(shape, extent, element_bytes);
  const auto calls = static_cast<double>(spans.num_spans);
  const auto bytes = static_cast<double>(spans.bytes);
  FileEstimate estimate{static_cast<double>(spans.num_runs), 0};
  // A span with gaps is read even where it is written.
  if (direction == FileDirection::read || spans.has_gaps) {
    estimate.seconds += calls * costs.read_call_seconds + bytes / costs.span_bytes_read_per_second;
  }
  if (direction == FileDirection::write) {
    estimate.seconds +=
        calls * costs.write_call_seconds + bytes / costs.span_bytes_written_per_second;
  }
  if (spans.has_gaps) {
    estimate.seconds += estimate.runs * costs.run_seconds;
  }
  return estimate;
}

/// A column-major array is read block by block, each as part of the row-major array that it is with
/// its modes reversed, and transposed from there.
FileEstimate column_major_estimate(const Shape& shape, const Shape& extent, int64_t element_bytes,
                                   FileDirection direction, const FileCosts& costs) {
  const Shape stored(shape.rbegin(), shape.rend());
  const Shape box(extent.rbegin(), extent.rend());
  const Shape block = block_extents(box, kStagingBytes / element_bytes, kColumnElements);
  double num_blocks = 1;
  for (size_t mode = 0; mode < box.size(); ++mode) {
    num_blocks *= static_cast<double>(box[mode]) / static_cast<double>(block[mode]);
  }
  FileEstimate estimate = row_major_estimate(stored, block, element_bytes, direction, costs);
  estimate.seconds = num_blocks * estimate.seconds +
                     static_cast<double>(num_elements(box)) * costs.transposed_element_seconds;
  estimate.runs = static_cast<double>(spans_of(stored, box, element_bytes).num_runs);
  return estimate;
}

/// Calls body(extent, number of such tiles) for every size of tile that the cuts make.
template <class Body>
void for_each_size(const Shape& shape, const std::vector<int64_t>& lengths, Shape& extent,
                   double count, Body&& body) {
  const size_t mode = extent.size();
  if (mode == shape.size()) {
    body(extent, count);
    return;
  }
  const int64_t length = std::min(shape[mode], lengths[mode]);
  for (const auto& [piece, times] :
       {std::pair{length, shape[mode] / length}, std::pair{shape[mode] % length, int64_t{1}}}) {
    if (piece > 0) {
      extent.push_back(piece);
      for_each_size(shape, lengths, extent, count * static_cast<double>(times), body);
      extent.pop_back();
    }
  }
}

}  // namespace

FileEstimate file_estimate(const FileArray& array, const Shape& extent, FileDirection direction,
                           const FileCosts& costs) {
  const int64_t elements = num_elements(extent);
  if (elements == 0) {
    return {};
  }
  const bool is_reversed = array.order == StorageOrder::column_major && extent.size() > 1;
  FileEstimate estimate =
      is_reversed
          ? column_major_estimate(array.shape, extent, array.element_bytes, direction, costs)
          : row_major_estimate(array.shape, extent, array.element_bytes, direction, costs);
  estimate.seconds += static_cast<double>(elements * array.element_bytes) / costs.bytes_per_second;
  return estimate;
}

FileEstimate file_estimate_of_tiles(const FileArray& array, const std::vector<int64_t>& lengths,
                                    FileDirection direction, const FileCosts& costs) {
  FileEstimate sum;
  if (num_elements(array.shape) == 0) {
    return sum;
  }
  Shape extent;
  for_each_size(array.shape, lengths, extent, 1, [&](const Shape& size, double count) {
    const FileEstimate one = file_estimate(array, size, direction, costs);
    sum.runs += count * one.runs;
    sum.seconds += count * one.seconds;
  });
  return sum;
}

}  // namespace tessera
