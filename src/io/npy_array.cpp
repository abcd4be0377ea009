#include "io/npy_array.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "io/npy_dtype.h"
#include "io/npy_header.h"
#include "io/range_lock.h"
#include "types/box_spans.h"

namespace tessera::io {

namespace {

std::unique_ptr<std::byte[]> make_staging() {
  return std::make_unique_for_overwrite<std::byte[]>(static_cast<size_t>(kStagingBytes));
}

TileView reversed(TileView view) {
  std::reverse(view.shape.begin(), view.shape.end());
  std::reverse(view.strides.begin(), view.strides.end());
  std::reverse(view.origin.begin(), view.origin.end());
  return view;
}

/// True if all of `part` lies in a tensor of this shape.
bool lies_within(const TileView& part, const Shape& shape) {
  bool within = part.shape.size() == shape.size() && part.origin.size() == shape.size();
  for (size_t mode = 0; within && mode < shape.size(); ++mode) {
    within = part.origin[mode] >= 0 && part.shape[mode] >= 0 &&
             part.shape[mode] <= shape[mode] - part.origin[mode];
  }
  return within;
}

void check_part(const TileView& part, const ArrayType& type, const std::string& path) {
  TESSERA_CHECK(part.dtype == type.dtype && lies_within(part, type.shape),
                "{} of {} {} at {} is no part of it", path, to_string(type),
                to_string(ArrayType{part.dtype, box_of(part).extent}),
                to_string(box_of(part).origin));
}

template <class Word>
void swap_words(std::byte* data, int64_t num_words) {
  for (int64_t word = 0; word < num_words; ++word) {
    std::reverse(data, data + sizeof(Word));
    data += sizeof(Word);
  }
}

/// Reverses the bytes of each number; the two of a complex element are numbers of their own.
void swap_bytes(std::byte* data, DType dtype, int64_t num_elements) {
  const int64_t bytes = num_elements * size_of(dtype);
  const int64_t word = is_complex(dtype) ? size_of(dtype) / 2 : size_of(dtype);
  switch (word) {
    case 2:
      swap_words<uint16_t>(data, bytes / word);
      break;
    case 4:
      swap_words<uint32_t>(data, bytes / word);
      break;
    default:
      swap_words<uint64_t>(data, bytes / word);
      break;
  }
}

/// Makes every true a 1: a C++ bool may hold nothing else, but a file may hold any byte.
void normalise_bools(std::byte* data, int64_t num_elements) {
  std::transform(data, data + num_elements, data, [](std::byte value) {
    return value == std::byte{0} ? std::byte{0} : std::byte{1};
  });
}

/// Returns a view of an array's span in a buffer, with its gaps.
TileView view_of_span(std::byte* buffer, DType dtype, const Shape& shape, const BoxSpan& span) {
  return {buffer, dtype, span.part.extent, dense_strides(shape), span.part.origin};
}

/// The elements of a stored array, row-major.
struct StoredArray {
  ReadableBytes bytes;
  int64_t data_offset;
  DType dtype;
  Shape shape;  // reversed for a column-major file

  /// Reads a box into a dense buffer.
  void read(const Box& box, std::byte* into) const {
    const BoxSpans spans = spans_of(shape, box.extent, size_of(dtype));
    const std::unique_ptr<std::byte[]> staging = spans.has_gaps ? make_staging() : nullptr;
    for (SpanWalk walk(shape, box, size_of(dtype), spans); !walk.is_over(); walk.advance()) {
      const BoxSpan& span = walk.span();
      bytes.read(data_offset + span.offset, spans.has_gaps ? staging.get() : into, span.bytes);
      if (spans.has_gaps) {
        copy_elements(view_of_span(staging.get(), dtype, shape, span),
                      dense_view(into, dtype, span.part));
      }
      into += num_elements(span.part.extent) * size_of(dtype);
    }
  }
};

class NpySource : public store::TileSource {
 public:
  NpySource(StoredArray array, ArrayType type, bool swapped, bool column_major)
      : array_(std::move(array)),
        type_(std::move(type)),
        swapped_(swapped),
        column_major_(column_major) {}

  ArrayType type() const override { return type_; }
  StorageOrder order() const override {
    return column_major_ ? StorageOrder::column_major : StorageOrder::row_major;
  }

  void check_unchanged() const override {
    if (array_.bytes.check_unchanged) {
      array_.bytes.check_unchanged();
    }
  }

  std::string stamp() const override { return array_.bytes.stamp; }

  void read(const TileView& into) const override {
    check_part(into, type_, array_.bytes.name);
    TESSERA_CHECK(is_dense(into), "a part of {} is read into a view with gaps", array_.bytes.name);
    const int64_t count = num_elements(into.shape);
    if (count == 0) {
      return;
    }
    if (column_major_) {
      read_column_major(into);
    } else {
      array_.read(box_of(into), into.data);
    }
    make_native(into.data, count);
  }

  int64_t bytes_to_read(const Box& part) const override {
    Shape extent = part.extent;
    if (column_major_) {
      std::reverse(extent.begin(), extent.end());
    }
    return num_elements(extent) == 0 ? 0
                                     : spans_of(array_.shape, extent, size_of(type_.dtype)).bytes;
  }

  /// Gathers. If the file has positions in the required order, everything behind them is read
  /// without computing spans, which takes as long as a call that reads a row.
  void gather(const TileView& into, size_t mode,
              std::span<const int64_t> positions) const override {
    if (column_major_ || !has_all_behind(into, mode)) {
      TileSource::gather(into, mode, positions);
      return;
    }
    const Strides strides = dense_strides(type_.shape);
    int64_t first = array_.data_offset;
    for (size_t outer = 0; outer < mode; ++outer) {
      first += into.origin[outer] * strides[outer] * size_of(type_.dtype);
    }
    const int64_t bytes = strides[mode] * size_of(type_.dtype);
    std::byte* next = into.data;
    std::vector<Run> runs;
    while (!positions.empty()) {
      const size_t length = store::run_length(positions);
      runs.push_back(
          {first + positions.front() * bytes, static_cast<int64_t>(length) * bytes, next});
      next += runs.back().bytes;
      positions = positions.subspan(length);
    }
    read_runs(runs);
    make_native(into.data, num_elements(into.shape));
  }

 private:
  void read_runs(std::span<const Run> runs) const {
    if (array_.bytes.read_runs) {
      array_.bytes.read_runs(runs);
      return;
    }
    for (const Run& run : runs) {
      array_.bytes.read(run.offset, run.into, run.bytes);
    }
  }

  bool has_all_behind(const TileView& part, size_t mode) const {
    bool has_all = part.shape.size() == type_.shape.size();
    for (size_t behind = mode + 1; has_all && behind < part.shape.size(); ++behind) {
      has_all = part.shape[behind] == type_.shape[behind];
    }
    return has_all;
  }

  void make_native(std::byte* elements, int64_t count) const {
    if (swapped_) {
      swap_bytes(elements, type_.dtype, count);
    }
    if (is_bool(type_.dtype)) {
      normalise_bools(elements, count);
    }
  }

  /// Reads block by block into a staging buffer and transposes from there.
  void read_column_major(const TileView& into) const {
    const TileView target = reversed(into);
    const std::unique_ptr<std::byte[]> staging = make_staging();
    const int64_t max_elements = kStagingBytes / size_of(type_.dtype);
    for (const Box& block : blocks_of(box_of(target), max_elements, kColumnElements)) {
      array_.read(block, staging.get());
      // In the order of the target: its lines are filled one by one, while the block is in the
      // cache.
      copy_elements(reversed(dense_view(staging.get(), type_.dtype, block)),
                    reversed(subview(target, block)));
    }
  }

  StoredArray array_;
  ArrayType type_;
  bool swapped_;
  bool column_major_;
};

NpyHeader read_header(const ReadableBytes& array) {
  std::string bytes(static_cast<size_t>(std::min(array.size, kNpyPreambleBytes)), '\0');
  const auto read_all = [&] {
    array.read(0, reinterpret_cast<std::byte*>(bytes.data()), static_cast<int64_t>(bytes.size()));
  };
  read_all();
  bytes.resize(static_cast<size_t>(std::min(array.size, npy_data_offset(bytes, array.name))));
  read_all();
  return parse_npy_header(bytes, array.name);
}

}  // namespace

ReadableBytes readable_bytes(const std::shared_ptr<const File>& file) {
  return {file->path(),
          file->size(),
          [file](int64_t offset, std::byte* into, int64_t bytes) {
            file->read_exactly(offset, into, bytes);
          },
          [file, stamp = file->stamp()] { file->check_unchanged(stamp); },
          stamp_text(file->stamp()),
          [file](std::span<const Run> runs) { io::read_runs(*file, runs); }};
}

std::unique_ptr<store::TileSource> open_npy_array(ReadableBytes bytes,
                                                  std::optional<DType> declared,
                                                  const std::function<bool()>& is_marked) {
  NpyHeader header = read_header(bytes);
  const bool marked = may_hold_bf16(header.descr) && is_marked();
  const NpyElement element = npy_element(header.descr, marked, declared, bytes.name);
  const ArrayType type{element.dtype, header.shape};
  if (size_in_bytes(type) > bytes.size - header.data_offset) {
    throw_error(ErrorKind::resource,
                "{} is cut off: its header says {}, which is {} bytes of elements, and the file "
                "holds {}; write it anew",
                bytes.name, to_string(type), size_in_bytes(type), bytes.size - header.data_offset);
  }
  if (header.fortran_order) {
    std::reverse(header.shape.begin(), header.shape.end());
  }
  StoredArray array{std::move(bytes), header.data_offset, type.dtype, std::move(header.shape)};
  return std::make_unique<NpySource>(std::move(array), type, element.swapped, header.fortran_order);
}

WritableBytes shared_bytes(const File& file) {
  return {file.path(),
          [&file](int64_t offset, std::byte* into, int64_t bytes) {
            file.read_exactly(offset, into, bytes);
          },
          [&file](int64_t offset, const std::byte* from, int64_t bytes) {
            file.write_exactly(offset, from, bytes);
          },
          [&file](int64_t offset, int64_t bytes) {
            return std::make_shared<RangeLock>(file, offset, bytes);
          }};
}

NpyWriter::NpyWriter(WritableBytes bytes, const ArrayType& type)
    : bytes_(std::move(bytes)), type_(type) {
  const std::string header = npy_header_bytes(npy_descr(type.dtype), type.shape);
  data_offset_ = static_cast<int64_t>(header.size());
  bytes_.write(0, reinterpret_cast<const std::byte*>(header.data()), data_offset_);
}

int64_t NpyWriter::total_bytes(const ArrayType& type) {
  const std::string header = npy_header_bytes(npy_descr(type.dtype), type.shape);
  return static_cast<int64_t>(header.size()) + size_in_bytes(type);
}

void NpyWriter::write(const TileView& from) const {
  check_part(from, type_, bytes_.name);
  if (num_elements(from.shape) == 0) {
    return;
  }
  const BoxSpans spans = spans_of(type_.shape, box_of(from).extent, size_of(type_.dtype));
  if (spans.has_gaps) {
    fill_in(from, spans);
  } else if (is_dense(from)) {
    write_dense(from, spans);
  } else {
    write_strided(from);
  }
}

void NpyWriter::write_dense(const TileView& from, const BoxSpans& spans) const {
  const std::shared_lock beside_others(gaps_);
  const Box box = box_of(from);
  const std::byte* next = from.data;
  for (SpanWalk walk(type_.shape, box, size_of(type_.dtype), spans); !walk.is_over();
       walk.advance()) {
    const auto held = hold(walk.span());
    bytes_.write(data_offset_ + walk.span().offset, next, walk.span().bytes);
    next += walk.span().bytes;
  }
}

std::shared_ptr<void> NpyWriter::hold(const BoxSpan& span) const {
  return bytes_.hold ? bytes_.hold(data_offset_ + span.offset, span.bytes) : nullptr;
}

/// Gathers block by block into a staging buffer and writes from there.
void NpyWriter::write_strided(const TileView& from) const {
  const std::unique_ptr<std::byte[]> staging = make_staging();
  const int64_t max_elements = kStagingBytes / size_of(type_.dtype);
  for (const Box& block : blocks_of(box_of(from), max_elements, max_elements)) {
    const TileView dense = dense_view(staging.get(), type_.dtype, block);
    copy_elements(subview(from, block), dense);
    write(dense);
  }
}

/// Reads every span with its gaps, puts the elements into it and writes it back. The bytes in the
/// gaps belong to other writes, so none of these may come in between.
void NpyWriter::fill_in(const TileView& from, const BoxSpans& spans) const {
  const std::lock_guard alone(gaps_);
  const std::unique_ptr<std::byte[]> staging = make_staging();
  const Box box = box_of(from);
  for (SpanWalk walk(type_.shape, box, size_of(type_.dtype), spans); !walk.is_over();
       walk.advance()) {
    const BoxSpan& span = walk.span();
    const auto held = hold(span);
    bytes_.read(data_offset_ + span.offset, staging.get(), span.bytes);
    copy_elements(subview(from, span.part),
                  view_of_span(staging.get(), type_.dtype, type_.shape, span));
    bytes_.write(data_offset_ + span.offset, staging.get(), span.bytes);
  }
}

}  // namespace tessera::io
