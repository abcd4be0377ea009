#include "io/checked_array.h"

#include <filesystem>
#include <fstream>
#include <vector>

#include <gmock/gmock.h>

#include "base/error.h"
#include "store/memory_tensor.h"
#include "unit/io/scratch_directory.h"
#include "unit/io/thrown_error.h"

namespace tessera::io {
namespace {

using store::MemoryTensor;
using testing::HasSubstr;
using testing::Optional;

constexpr const char* kLabel = "0123456789abcdef0123456789abcdef";

/// Over 16 MiB, so that there are two checksums.
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

TEST_F(CheckedArrayFile, DamageIsFoundByWhoReadsAQuarterOfAPart) {
  write();
  flip(int64_t{9} << 20);  // in the first part, whose quarter are 499.3 rows
  const auto source = open_checked(array);
  const auto read_rows = [&](int64_t first, int64_t count) {
    MemoryTensor rows({DType::f32, {count, 2100}});
    TileView view = rows.view();
    view.origin[0] = first;
    source->read(view);
  };
  const auto gather_rows = [&](int64_t first, int64_t step, int64_t count) {
    std::vector<int64_t> positions;
    for (int64_t number = 0; number < count; ++number) {
      positions.push_back(first + number * step);
    }
    MemoryTensor rows({DType::f32, {count, 2100}});
    source->gather(rows.view(), 0, positions);
  };
  read_rows(2000, 100);
  read_rows(0, 400);
  gather_rows(1, 19, 90);
  for (int turn = 0; turn < 2; ++turn) {
    const Error error = thrown_error([&] { gather_rows(3, 97, 20); });
    EXPECT_EQ(error.kind(), ErrorKind::resource);
    EXPECT_THAT(error.message(), HasSubstr(array.path + " is damaged: its bytes do not have"));
    EXPECT_EQ(thrown_error([&] { read_rows(1900, 10); }).kind(), ErrorKind::resource);
  }
  read_rows(2000, 100);
  flip(int64_t{9} << 20);
  read_rows(0, 1900);
}

TEST_F(CheckedArrayFile, AShortOneIsFound) {
  write();
  const auto bytes = std::filesystem::file_size(array.path);
  for (const uintmax_t left : {bytes - 1, bytes / 2, uintmax_t{10}, uintmax_t{0}}) {
    std::filesystem::resize_file(array.path, left);
    EXPECT_THAT(fault_of(array, 1), Optional(HasSubstr(std::to_string(left) + " bytes")));
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
}  // namespace tessera::io
