#include "io/checked_array.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/error.h"
#include "io/block_sums.h"
#include "store/memory_tensor.h"
#include "unit/io/scratch_directory.h"
#include "unit/io/thrown_error.h"

namespace tessera::io::checked_array_test {
namespace {

using store::MemoryTensor;
using testing::HasSubstr;
using testing::Optional;

constexpr const char* kLabel = "0123456789abcdef0123456789abcdef";

/// Over 16 MiB, so that two parts are read at once, and that version 1 has two checksums.
const ArrayType kType{DType::f32, {2100, 2100}};

MemoryTensor numbers() {
  MemoryTensor tensor(kType);
  for (int64_t number = 0; number < num_elements(kType.shape); ++number) {
    tensor.view().as<float>()[number] = static_cast<float>(number % 1009);
  }
  return tensor;
}

class CheckedArrayFile : public testing::Test {
 protected:
  void write() {
    const auto sink = create_checked(array, std::nullopt, 2);
    const MemoryTensor tensor = numbers();
    sink->write(tensor.view());
    EXPECT_FALSE(std::filesystem::exists(array.path));
    sink->commit(store::Durability::process);
  }

  void flip(int64_t place) const {
    std::fstream file(array.path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(place);
    const auto byte = static_cast<char>(file.get() ^ 1);
    file.seekp(place);
    file.put(byte);
  }

  ScratchDirectory scratch;
  CheckedArray array{scratch.path("a.npy"), kLabel, kType};
};

TEST_F(CheckedArrayFile, IsWhatWasWritten) {
  write();
  EXPECT_EQ(fault_of(array, 1), std::nullopt);
  EXPECT_EQ(fault_of(array, 3), std::nullopt);
  const auto source = open_checked(array);
  EXPECT_EQ(source->type(), kType);
  MemoryTensor read(kType);
  source->read(read.view());
  const MemoryTensor written = numbers();
  EXPECT_TRUE(std::equal(read.view().as<float>(),
                         read.view().as<float>() + num_elements(kType.shape),
                         written.view().as<float>()));
}

TEST_F(CheckedArrayFile, AFlippedBitIsFoundWhereverItIs) {
  write();
  const auto bytes = static_cast<int64_t>(std::filesystem::file_size(array.path));
  for (const int64_t place :
       {int64_t{0}, int64_t{40}, int64_t{1000}, bytes / 2, bytes - 90, bytes - 30, bytes - 2}) {
    flip(place);
    EXPECT_NE(fault_of(array, 2), std::nullopt) << place;
    flip(place);
    EXPECT_EQ(fault_of(array, 2), std::nullopt) << place;
  }
}

TEST_F(CheckedArrayFile, DamageIsFoundByWhoReadsItsKiB) {
  write();
  const int64_t damaged = 1100;  // a row, of 8,400 bytes
  flip(damaged * 8400 + 4000);
  const auto source = open_checked(array);
  const auto read_box = [&](const Box& box) {
    MemoryTensor part({DType::f32, box.extent});
    TileView view = part.view();
    view.origin = box.origin;
    source->read(view);
    return std::vector<float>(view.as<float>(), view.as<float>() + num_elements(box.extent));
  };
  const auto gather_rows = [&](int64_t first, int64_t step, int64_t count) {
    std::vector<int64_t> positions;
    for (int64_t number = 0; number < count; ++number) {
      positions.push_back(first + number * step);
    }
    MemoryTensor rows({DType::f32, {count, 2100}});
    source->gather(rows.view(), 0, positions);
  };
  const auto expect_found = [&](const std::function<void()>& read) {
    for (int turn = 0; turn < 2; ++turn) {
      const Error error = thrown_error(read);
      EXPECT_EQ(error.kind(), ErrorKind::resource);
      EXPECT_THAT(error.message(), HasSubstr(array.path + " is damaged: its bytes do not have"));
    }
  };
  read_box({{damaged + 1, 0}, {1, 2100}});
  read_box({{0, 0}, {damaged, 2100}});
  read_box({{damaged, 1300}, {1, 800}});
  gather_rows(1, 2, 600);
  gather_rows(damaged + 1, 1, 900);
  expect_found([&] { read_box({{damaged, 0}, {1, 2100}}); });
  expect_found([&] { read_box({{damaged, 960}, {1, 1}}); });
  expect_found([&] { read_box({{0, 950}, {2100, 20}}); });
  expect_found([&] { read_box({{0, 0}, {2100, 2100}}); });
  expect_found([&] { gather_rows(0, 2, 700); });
  expect_found([&] { gather_rows(damaged, 1, 1); });
  flip(damaged * 8400 + 4000);
  EXPECT_EQ(read_box({{damaged, 960}, {1, 1}}), std::vector<float>{(damaged * 2100 + 960) % 1009});
}

/// What an older program wrote: 16 MiB in a block, and checksums as text.
TEST_F(CheckedArrayFile, OneOfVersion1IsReadAndCompared) {
  write();
  std::string bytes = read_bytes(array.path);
  const size_t head = bytes.find("\ntessera checked array 2\n") + 23;
  ASSERT_EQ(bytes[head], '2');
  bytes[head] = '1';
  bytes.resize(bytes.find('\n', bytes.find('\n', head + 2) + 1) + 1);
  const auto as_bytes = [&](size_t begin, size_t end) {
    return std::as_bytes(std::span(bytes)).subspan(begin, end - begin);
  };
  const size_t block = size_t{16} << 20;
  const std::string sums = fmt::format("{:08x}\n{:08x}\n", checksum_of(as_bytes(0, block)),
                                       checksum_of(as_bytes(block, head - 23)));
  std::ofstream(array.path, std::ios::binary) << bytes << sums;
  EXPECT_EQ(fault_of(array, 2), std::nullopt);
  MemoryTensor row({DType::f32, {1, 2100}});
  open_checked(array)->read(row.view());
  EXPECT_EQ(row.view().as<float>()[2099], 2099 % 1009);
  flip(int64_t{9} << 20);
  EXPECT_NE(fault_of(array, 2), std::nullopt);
  const Error error = thrown_error([&] { open_checked(array)->read(row.view()); });
  EXPECT_THAT(error.message(), HasSubstr("is damaged: its bytes do not have"));
}

TEST_F(CheckedArrayFile, AShortOneIsFound) {
  write();
  const auto bytes = std::filesystem::file_size(array.path);
  for (const uintmax_t left : {bytes - 1, bytes / 2, uintmax_t{10}, uintmax_t{0}}) {
    std::filesystem::resize_file(array.path, left);
    EXPECT_THAT(fault_of(array, 1), Optional(HasSubstr(std::to_string(left) + " bytes")));
    EXPECT_THAT(thrown_error([&] { open_checked(array); }).message(), HasSubstr("is damaged"));
  }
}

TEST_F(CheckedArrayFile, ThatOfAnotherArrayIsFound) {
  write();
  CheckedArray other = array;
  other.label.back() = '0';
  EXPECT_THAT(fault_of(other, 1), Optional(HasSubstr("does not say that it is")));
  other = array;
  other.type.dtype = DType::i32;  // as long
  EXPECT_NE(fault_of(other, 1), std::nullopt);
}

TEST_F(CheckedArrayFile, OneThatIsNotThereIsAnError) {
  EXPECT_EQ(thrown_error([&] { fault_of(array, 1); }).kind(), ErrorKind::user);
}

TEST_F(CheckedArrayFile, OneThatWasNotCommittedLeavesNothing) {
  create_checked(array, std::nullopt, 1).reset();
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(array.path).parent_path()));
}

}  // namespace
}  // namespace tessera::io::checked_array_test
