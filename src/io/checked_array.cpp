// An array with checksums, a file that only Tessera writes:
//
//   an .npy of the array, row-major (npy_header.h)
//   "\ntessera checked array 1\n" LABEL "\n" TYPE "\n"
//   the CRC-32 of every 16 MiB of the .npy, 8 hexadecimal digits and "\n" each

#include "io/checked_array.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <isa-l/crc.h>

#include "base/error.h"
#include "io/atomic_file.h"
#include "io/file.h"
#include "io/mapped_part.h"
#include "io/npy_array.h"

namespace tessera::io {

namespace {

constexpr int64_t kSummedBytes = int64_t{16} << 20;  // with a checksum of their own
constexpr int64_t kReadBytes = int64_t{4} << 20;     // at once, by a thread
constexpr const char* kOtherSums = "its bytes do not have the checksums that it says";

struct Summed {
  uint32_t sum = 0;
  int64_t bytes = 0;
};

/// Goes on with a sum.
void add_bytes(const std::byte* bytes, void* state) {
  auto& [sum, count] = *static_cast<Summed*>(state);
  sum = ::crc32_gzip_refl(sum, reinterpret_cast<const unsigned char*>(bytes),
                          static_cast<uint64_t>(count));
}

/// Of a part that begins at a page. Where it can be mapped: copying it takes four times as long as
/// summing it (measured: 2.7 beside 9.9 GB/s).
uint32_t checksum_of(const File& file, int64_t begin, int64_t end) {
  Summed summed;
  for (int64_t offset = begin; offset < end; offset += kReadBytes) {
    const uint32_t before = summed.sum;
    summed.bytes = std::min(kReadBytes, end - offset);
    if (!look_at_mapped(file, offset, offset + summed.bytes, &add_bytes, &summed)) {
      std::vector<std::byte> bytes(static_cast<size_t>(summed.bytes));
      file.read_exactly(offset, bytes.data(), summed.bytes);
      summed.sum = before;
      add_bytes(bytes.data(), &summed);
    }
  }
  return summed.sum;
}

int64_t num_parts_of(int64_t bytes) {
  return (bytes + kSummedBytes - 1) / kSummedBytes;
}

/// Of the first bytes of a file, part by part. Errors: those of reading.
std::vector<uint32_t> checksums_of(const File& file, int64_t bytes, int64_t num_threads) {
  const int64_t num_parts = num_parts_of(bytes);
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

std::string text_of(uint32_t sum) {
  return fmt::format("{:08x}\n", sum);
}

/// What stands behind the .npy.
std::string trailer_of(const CheckedArray& array, const std::vector<uint32_t>& sums) {
  std::string text =
      fmt::format("\ntessera checked array 1\n{}\n{}\n", array.label, to_string(array.type));
  for (const uint32_t sum : sums) {
    text += text_of(sum);
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
  const auto num_parts = static_cast<size_t>(num_parts_of(array_bytes));
  const size_t trailer_bytes = trailer_of(array, std::vector<uint32_t>(num_parts)).size();
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
    return kOtherSums;
  }
  return std::nullopt;
}

/// A file whose parts are compared with their checksums once a quarter of one was read: who reads
/// all of a file learns of damage, for less than reading it took, and who takes a few rows of many
/// does not read the others for it.
/// Threads: any number.
class ComparedParts {
 public:
  ComparedParts(std::shared_ptr<const File> file, const CheckedArray& array)
      : file_(std::move(file)),
        bytes_(NpyWriter::total_bytes(array.type)),
        sums_(checksums_in(array)),
        parts_(static_cast<size_t>(num_parts_of(bytes_))) {}

  /// Errors: `resource` where a part is not what was written.
  void note_read(int64_t offset, int64_t bytes) {
    for (const int64_t end = offset + bytes; offset < end;) {
      const int64_t number = offset / kSummedBytes;
      const int64_t part_end = std::min(bytes_, (number + 1) * kSummedBytes);
      const int64_t within = std::min(end, part_end) - offset;
      Part& part = parts_[static_cast<size_t>(number)];
      const int64_t read = part.read_bytes.fetch_add(within, std::memory_order_relaxed) + within;
      if (4 * read >= part_end - number * kSummedBytes) {
        std::call_once(part.compared, [&] { compare(number, part_end); });
      }
      offset += within;
    }
  }

 private:
  struct Part {
    std::atomic<int64_t> read_bytes = 0;
    std::once_flag compared;
  };

  void compare(int64_t number, int64_t end) const {
    const std::string sum = text_of(checksum_of(*file_, number * kSummedBytes, end));
    const size_t place = static_cast<size_t>(number) * sum.size();
    if (sums_.size() < place || sums_.compare(place, sum.size(), sum) != 0) {
      throw_error(ErrorKind::resource, "{} is damaged: {}", file_->path(), kOtherSums);
    }
  }

  std::shared_ptr<const File> file_;
  int64_t bytes_;
  std::string sums_;  // as they stand in the file
  std::vector<Part> parts_;
};

/// Those of a file, looked at as they are read.
ReadableBytes compared_bytes(const std::shared_ptr<const File>& file, const CheckedArray& array) {
  const auto parts = std::make_shared<ComparedParts>(file, array);
  ReadableBytes bytes = readable_bytes(file);
  bytes.read = [parts, read = std::move(bytes.read)](int64_t offset, std::byte* into,
                                                     int64_t count) {
    read(offset, into, count);
    parts->note_read(offset, count);
  };
  bytes.read_runs = [parts, read = std::move(bytes.read_runs)](std::span<const Run> runs) {
    read(runs);
    for (const Run& run : runs) {
      parts->note_read(run.offset, run.bytes);
    }
  };
  return bytes;
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
  return open_npy_array(compared_bytes(file, array), array.type.dtype,
                        [&] { return array.type.dtype == DType::bf16; });
}

}  // namespace tessera::io
