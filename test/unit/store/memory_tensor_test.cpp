#include "store/memory_tensor.h"

#include <array>

#include <gmock/gmock.h>

#include "base/error.h"

namespace tessera::store::memory_tensor_test {
namespace {

using testing::ElementsAre;

template <size_t count>
TileView view_of(std::array<int32_t, count>& values, const Box& box) {
  return dense_view(reinterpret_cast<std::byte*>(values.data()), DType::i32, box);
}

TEST(MemoryTensor, KeepsWhatIsWritten) {
  MemoryTensor tensor({DType::i32, {2, 3}});
  std::array<int32_t, 2> column = {7, 8};
  tensor.write(view_of(column, {{0, 1}, {2, 1}}));
  std::array<int32_t, 6> all = {};
  tensor.read(view_of(all, whole({2, 3})));
  EXPECT_THAT(all, ElementsAre(0, 7, 0, 0, 8, 0));
}

TEST(MemoryTensor, ReadsAndWritesTheCallersElementsAsTheyLie) {
  std::array<int32_t, 6> elements = {1, 2, 3, 4, 5, 6};
  TileView transposed = view_of(elements, whole({2, 3}));
  std::swap(transposed.shape[0], transposed.shape[1]);
  std::swap(transposed.strides[0], transposed.strides[1]);
  MemoryTensor tensor(transposed);
  EXPECT_EQ(tensor.type(), (ArrayType{DType::i32, {3, 2}}));
  std::array<int32_t, 2> row = {};
  tensor.read(view_of(row, {{1, 0}, {1, 2}}));
  EXPECT_THAT(row, ElementsAre(2, 5));
  row = {20, 50};
  tensor.write(view_of(row, {{1, 0}, {1, 2}}));
  EXPECT_THAT(elements, ElementsAre(1, 20, 3, 4, 50, 6));
}

TEST(MemoryTensor, LendsPartsAsTheyLie) {
  std::array<int32_t, 6> elements = {1, 2, 3, 4, 5, 6};
  const MemoryTensor tensor(view_of(elements, whole({2, 3})));
  const auto place = [&](const Box& part) {
    return reinterpret_cast<const int32_t*>(tensor.lend(part)->data);
  };
  EXPECT_EQ(place(whole({2, 3})), elements.data());
  EXPECT_EQ(place({{1, 1}, {1, 2}}), &elements[4]);
  EXPECT_EQ(place({{0, 1}, {2, 1}}), &elements[1]);
  EXPECT_EQ(tensor.lend({{0, 1}, {2, 1}})->strides, (ModeValues{3, 1}));
}

TEST(MemoryTensor, IsAWholeTensor) {
  std::array<int32_t, 2> elements = {};
  EXPECT_THROW(MemoryTensor(view_of(elements, {{3}, {2}})), Error);
}

}  // namespace
}  // namespace tessera::store::memory_tensor_test
