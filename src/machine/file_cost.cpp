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
  // A span with gaps is read even to be written.
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

/// Estimates a column-major array, which is read block by block, each as part of a row-major array
/// with reversed modes, and transposed from there.
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

/// Sums the estimates of all tiles that an array is cut into.
template <class EstimateOf>
FileEstimate sum_over_tiles(const Shape& shape, const std::vector<int64_t>& lengths,
                            EstimateOf estimate_of) {
  FileEstimate sum;
  if (num_elements(shape) == 0) {
    return sum;
  }
  Shape extent;
  for_each_size(shape, lengths, extent, 1, [&](const Shape& size, double count) {
    const FileEstimate one = estimate_of(size);
    sum.runs += count * one.runs;
    sum.seconds += count * one.seconds;
  });
  return sum;
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

FileEstimate gather_estimate(const FileArray& array, size_t mode, const Shape& extent,
                             const FileCosts& costs) {
  FileArray one = array;
  Shape of_one = extent;
  double times = 1;
  for (size_t outer = 0; outer <= mode; ++outer) {
    times *= static_cast<double>(extent[outer]);
    one.shape[outer] = of_one[outer] = 1;
  }
  const FileEstimate estimate = file_estimate(one, of_one, FileDirection::read, costs);
  return {times * estimate.runs, times * estimate.seconds};
}

FileEstimate file_estimate_of_tiles(const FileArray& array, const std::vector<int64_t>& lengths,
                                    FileDirection direction, const FileCosts& costs) {
  return sum_over_tiles(array.shape, lengths, [&](const Shape& extent) {
    return file_estimate(array, extent, direction, costs);
  });
}

FileEstimate gather_estimate_of_tiles(const FileArray& array, size_t mode,
                                      const std::vector<int64_t>& lengths, const FileCosts& costs) {
  return sum_over_tiles(array.shape, lengths, [&](const Shape& extent) {
    return gather_estimate(array, mode, extent, costs);
  });
}

}  // namespace tessera
