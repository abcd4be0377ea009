// An array with checksums, a file that only Tessera writes:
//
//   an .npy of the array, row-major (npy_header.h)
//   "\ntessera checked array 1\n" LABEL "\n" TYPE "\n"
//   the CRC-32 of every 16 MiB of the .npy, 8 hexadecimal digits and "\n" each

#include "io/checked_array.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include "io/atomic_file.h"
#include "io/file.h"
#include "io/npy_array.h"

namespace tessera::io {

namespace {

constexpr int64_t kSummedBytes = int64_t{16} << 20;  // with a checksum of their own
constexpr int64_t kReadBytes = int64_t{1} << 20;     // at once, by a thread

uint32_t checksum_of(const File& file, int64_t begin, int64_t end) {
  std::vector<std::byte> bytes(static_cast<size_t>(std::min(kReadBytes, end - begin)));
  uLong sum = ::crc32(0, nullptr, 0);
  for (int64_t offset = begin; offset < end; offset += kReadBytes) {
    const int64_t count = std::min(kReadBytes, end - offset);
    file.read_exactly(offset, bytes.data(), count);
    sum = ::crc32(sum, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(count));
  }
  return static_cast<uint32_t>(sum);
}

/// Of the first bytes of a file, part by part. Errors: those of reading.
std::vector<uint32_t> checksums_of(const File& file, int64_t bytes, int64_t num_threads) {
  const int64_t num_parts = (bytes + kSummedBytes - 1) / kSummedBytes;
  std::vector<uint32_t> sums(static_cast<size_t>(num_parts));
  std::atomic<int64_t> next = 0;
  const auto work = [&] {
    for (int64_t part = next++; part < num_parts; part = next++) {
      const int64_t begin = part * kSummedBytes;
      sums[static_cast<size_t>(part)] =
          checksum_of(file, begin, std::min(bytes, begin + kSummedBytes));
    }
  };
  std::vector<std::future<void>> others;
  for (int64_t thread = 1; thread < std::min(num_threads, num_parts); ++thread) {
    others.push_back(std::async(std::launch::async, work));
  }
  work();
  for (std::future<void>& other : others) {
    other.get();
  }
  return sums;
}

/// Nobody is kept from writing where nobody else writes: not every filesystem can.
WritableBytes bytes_of(const File& file, bool is_shared) {
  WritableBytes bytes = shared_bytes(file);
  bytes.hold = is_shared ? bytes.hold : nullptr;
  return bytes;
}

/// What stands behind the .npy.
std::string trailer_of(const CheckedArray& array, const std::vector<uint32_t>& sums) {
  std::string text =
      fmt::format("\ntessera checked array 1\n{}\n{}\n", array.label, to_string(array.type));
  for (const uint32_t sum : sums) {
    text += fmt::format("{:08x}\n", sum);
  }
  return text;
}

class CheckedSink : public SharedSink {
 public:
  CheckedSink(CheckedArray array, std::optional<Reach> others, int64_t num_threads)
      : array_(std::move(array)),
        num_threads_(num_threads),
        array_bytes_(NpyWriter::total_bytes(array_.type)),
        file_(array_.path, array_bytes_,
              others == Reach::network ? AtomicFile::Name::temporary : AtomicFile::Name::none),
        writer_(bytes_of(file_.file(), others.has_value()), array_.type) {}

  std::string meeting_place() const override { return file_.meeting_place(); }
  void write(const TileView& from) override { writer_.write(from); }

  void commit(store::Durability durability) override {
    const std::string trailer =
        trailer_of(array_, checksums_of(file_.file(), array_bytes_, num_threads_));
    file_.write_at(array_bytes_, reinterpret_cast<const std::byte*>(trailer.data()),
                   static_cast<int64_t>(trailer.size()));
    file_.commit(durability);
  }

 private:
  CheckedArray array_;
  int64_t num_threads_;
  int64_t array_bytes_;
  AtomicFile file_;
  NpyWriter writer_;
};

/// Why a file is not what its writer committed; its elements are read by so many threads, or not at
/// all.
std::optional<std::string> fault_in(const File& file, const CheckedArray& array,
                                    std::optional<int64_t> num_threads) {
  const int64_t array_bytes = NpyWriter::total_bytes(array.type);
  const int64_t num_parts = (array_bytes + kSummedBytes - 1) / kSummedBytes;
  const size_t trailer_bytes =
      trailer_of(array, std::vector<uint32_t>(static_cast<size_t>(num_parts))).size();
  const int64_t expected = array_bytes + static_cast<int64_t>(trailer_bytes);
  if (file.size() != expected) {
    return fmt::format("it has {} bytes, not {}", file.size(), expected);
  }
  std::string trailer(trailer_bytes, '\0');
  file.read_exactly(array_bytes, reinterpret_cast<std::byte*>(trailer.data()),
                    static_cast<int64_t>(trailer_bytes));
  if (!trailer.starts_with(trailer_of(array, {}))) {
    return fmt::format("it does not say that it is {}", array.label);
  }
  if (num_threads && trailer != trailer_of(array, checksums_of(file, array_bytes, *num_threads))) {
    return "its bytes do not have the checksums that it says";
  }
  return std::nullopt;
}

}  // namespace

std::unique_ptr<SharedSink> create_checked(const CheckedArray& array, std::optional<Reach> others,
                                           int64_t num_threads) {
  return std::make_unique<CheckedSink>(array, others, num_threads);
}

std::optional<std::string> fault_of(const CheckedArray& array, int64_t num_threads) {
  return fault_in(open_to_read(array.path), array, num_threads);
}

std::optional<std::string> plain_fault_of(const CheckedArray& array, int64_t most_bytes) {
  const bool is_small = NpyWriter::total_bytes(array.type) <= most_bytes;
  return fault_in(open_to_read(array.path), array,
                  is_small ? std::optional<int64_t>(1) : std::nullopt);
}

std::string checksums_in(const CheckedArray& array) {
  const File file = open_to_read(array.path);
  const int64_t array_bytes = NpyWriter::total_bytes(array.type);
  std::string trailer(static_cast<size_t>(std::max<int64_t>(0, file.size() - array_bytes)), '\0');
  file.read_exactly(array_bytes, reinterpret_cast<std::byte*>(trailer.data()),
                    static_cast<int64_t>(trailer.size()));
  const size_t head = trailer_of(array, {}).size();
  return trailer.size() < head ? "" : trailer.substr(head);
}

std::unique_ptr<store::TileSource> open_checked(const CheckedArray& array) {
  const auto file = std::make_shared<const File>(open_to_read(array.path));
  return open_npy_array(readable_bytes(file), array.type.dtype,
                        [&] { return array.type.dtype == DType::bf16; });
}

}  // namespace tessera::io
