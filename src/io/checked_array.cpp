// An array with checksums, a file that only Tessera writes:
//
//   an .npy of the array, row-major (npy_header.h)
//   "\ntessera checked array 2\n" LABEL "\n" TYPE "\n"
//   the CRC-32 of every KiB of the .npy, 4 bytes each, little-endian
//
// Version 1, which is still read, has one of every 16 MiB, 8 hexadecimal digits and "\n" each.

#include "io/checked_array.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "io/atomic_file.h"
#include "io/block_sums.h"
#include "io/compared_file.h"
#include "io/file.h"
#include "io/npy_array.h"

namespace tessera::io {

namespace {

/// Bytes of a block. Larger ones would be read whole for a row, and smaller ones have more
/// checksums: for 79,000 rows of 800 bytes those of 4 KiB take 8 ms, of 1 KiB 5 (measured).
constexpr int64_t kBlockBytes = int64_t{1} << 10;
constexpr int64_t kBlockBytesOf1 = int64_t{16} << 20;  // in files of version 1

/// Returns the bytes to write. A file of one process is not locked: not every filesystem can.
WritableBytes bytes_of(const File& file, bool is_shared) {
  WritableBytes bytes = shared_bytes(file);
  bytes.hold = is_shared ? bytes.hold : nullptr;
  return bytes;
}

/// Returns the text between the .npy and the checksums; equally long in any version.
std::string head_of(const CheckedArray& array, int version) {
  return fmt::format("\ntessera checked array {}\n{}\n{}\n", version, array.label,
                     to_string(array.type));
}

/// Returns the checksums of a file of the written version.
BlockSums sums_of(const CheckedArray& array) {
  const int64_t bytes = NpyWriter::total_bytes(array.type);
  return {bytes, kBlockBytes, bytes + static_cast<int64_t>(head_of(array, 2).size()),
          BlockSums::Form::binary};
}

class CheckedSink : public SharedSink {
 public:
  CheckedSink(CheckedArray array, std::optional<Reach> others, int64_t num_threads,
              AtomicFile::Existing existing)
      : array_(std::move(array)),
        num_threads_(num_threads),
        array_bytes_(NpyWriter::total_bytes(array_.type)),
        file_(array_.path, array_bytes_,
              others == Reach::network ? AtomicFile::Name::temporary : AtomicFile::Name::none,
              existing),
        writer_(bytes_of(file_.file(), others.has_value()), array_.type) {}

  std::string meeting_place() const override { return file_.meeting_place(); }
  void write(const TileView& from) override { writer_.write(from); }

  void commit(store::Durability durability) override {
    const std::string head = head_of(array_, 2);
    file_.write_at(array_bytes_, reinterpret_cast<const std::byte*>(head.data()),
                   static_cast<int64_t>(head.size()));
    store_sums(file_.file(), sums_of(array_), num_threads_);
    file_.commit(durability);
  }

 private:
  CheckedArray array_;
  int64_t num_threads_;
  int64_t array_bytes_;
  AtomicFile file_;
  NpyWriter writer_;
};

/// The place of a file's checksums, or why it has none.
struct FoundSums {
  BlockSums sums;
  std::optional<std::string> fault;
};

FoundSums find_sums(const File& file, const CheckedArray& array) {
  BlockSums sums = sums_of(array);
  const int64_t head_bytes = sums.offset - sums.bytes;
  std::string head;
  if (file.size() >= sums.offset) {
    head.resize(static_cast<size_t>(head_bytes));
    file.read_exactly(sums.bytes, reinterpret_cast<std::byte*>(head.data()), head_bytes);
  }
  if (head == head_of(array, 1)) {
    sums.block_bytes = kBlockBytesOf1;
    sums.form = BlockSums::Form::text;
  } else if (file.size() == sums.end() && head != head_of(array, 2)) {
    return {sums, fmt::format("it does not say that it is {}", array.label)};
  }
  if (file.size() != sums.end()) {
    return {sums, fmt::format("it has {} bytes, not {}", file.size(), sums.end())};
  }
  return {sums, std::nullopt};
}

/// Returns the bytes of a file, compared with the checksums when they are read.
ReadableBytes compared_bytes(const std::shared_ptr<const File>& file, const BlockSums& sums) {
  const auto compared = std::make_shared<ComparedFile>(file, sums);
  ReadableBytes bytes = readable_bytes(file);
  bytes.read = [compared](int64_t offset, std::byte* into, int64_t count) {
    compared->read(offset, into, count);
  };
  bytes.read_runs = [compared](std::span<const Run> runs) { compared->read_runs(runs); };
  return bytes;
}

}  // namespace

std::unique_ptr<SharedSink> create_checked(const CheckedArray& array, std::optional<Reach> others,
                                           int64_t num_threads, AtomicFile::Existing existing) {
  return std::make_unique<CheckedSink>(array, others, num_threads, existing);
}

std::optional<std::string> fault_of(const CheckedArray& array, int64_t num_threads) {
  const File file = open_to_read(array.path);
  const auto [sums, fault] = find_sums(file, array);
  if (!fault && !has_stored_sums(file, sums, num_threads)) {
    return kOtherSums;
  }
  return fault;
}

std::string checksums_in(const CheckedArray& array) {
  const File file = open_to_read(array.path);
  const BlockSums sums = find_sums(file, array).sums;
  std::string text(static_cast<size_t>(std::max<int64_t>(0, file.size() - sums.offset)), '\0');
  file.read_exactly(sums.offset, reinterpret_cast<std::byte*>(text.data()),
                    static_cast<int64_t>(text.size()));
  return text;
}

std::unique_ptr<store::TileSource> open_checked(const CheckedArray& array) {
  const auto file = std::make_shared<const File>(open_to_read(array.path));
  const auto [sums, fault] = find_sums(*file, array);
  if (fault) {
    throw_error(ErrorKind::resource, "{} is damaged: {}", array.path, *fault);
  }
  return open_npy_array(compared_bytes(file, sums), array.type.dtype,
                        [&] { return array.type.dtype == DType::bf16; });
}

}  // namespace tessera::io
