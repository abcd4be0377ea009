#include "types/tile_view.h"

#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace tessera::tile_view_test {
namespace {

TileView view_of(std::vector<int32_t>& values, const Box& box) {
  return dense_view(reinterpret_cast<std::byte*>(values.data()), DType::i32, box);
}

std::vector<int32_t> counted(int64_t count) {
  std::vector<int32_t> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST(TileView, TakesAPartByTheTensorsCoordinates) {
  std::vector<int32_t> values = counted(12);
  const TileView tile = view_of(values, {{10, 20}, {3, 4}});
  const TileView part = subview(tile, {{11, 22}, {2, 2}});
  EXPECT_EQ(part.as<int32_t>()[0], 6);
  EXPECT_EQ(part.strides, (Strides{4, 1}));
  EXPECT_EQ(part.shape, (Shape{2, 2}));
  EXPECT_EQ(part.origin, (std::vector<int64_t>{11, 22}));
}

TEST(TileView, IsDenseWhenElementsFollowEachOther) {
  std::vector<int32_t> values = counted(12);
  const TileView tile = view_of(values, whole({3, 4}));
  EXPECT_TRUE(is_dense(tile));
  EXPECT_TRUE(is_dense(subview(tile, {{1, 0}, {2, 4}})));
  EXPECT_TRUE(is_dense(subview(tile, {{1, 1}, {1, 2}})));  // one row: its stride does not matter
  EXPECT_FALSE(is_dense(subview(tile, {{0, 1}, {2, 2}})));
  EXPECT_TRUE(is_dense(view_of(values, whole({}))));
}

TEST(CopyElements, CopiesStridedParts) {
  std::vector<int32_t> source = counted(12);
  std::vector<int32_t> target(12, -1);
  const Box box{{1, 1}, {2, 2}};
  copy_elements(subview(view_of(source, whole({3, 4})), box),
                subview(view_of(target, whole({3, 4})), box));
  EXPECT_EQ(target, (std::vector<int32_t>{-1, -1, -1, -1, -1, 5, 6, -1, -1, 9, 10, -1}));
}

TEST(CopyElements, TransposesReversesAndRepeats) {
  std::vector<int32_t> source = counted(6);
  std::vector<int32_t> target(6);
  TileView from = view_of(source, whole({2, 3}));
  const TileView transposed{from.data, from.dtype, {3, 2}, {1, 3}, {0, 0}};
  copy_elements(transposed, view_of(target, whole({3, 2})));
  EXPECT_EQ(target, (std::vector<int32_t>{0, 3, 1, 4, 2, 5}));
  const TileView backwards{from.data + 5 * 4, from.dtype, {6}, {-1}, {0}};
  copy_elements(backwards, view_of(target, whole({6})));
  EXPECT_EQ(target, (std::vector<int32_t>{5, 4, 3, 2, 1, 0}));
  const TileView repeated{from.data + 4, from.dtype, {2, 3}, {0, 1}, {0, 0}};
  copy_elements(repeated, view_of(target, whole({2, 3})));
  EXPECT_EQ(target, (std::vector<int32_t>{1, 2, 3, 1, 2, 3}));
}

TEST(CopyElements, CopiesScalarsAndNothing) {
  std::vector<int32_t> source = {7};
  std::vector<int32_t> target = {0};
  copy_elements(view_of(source, whole({})), view_of(target, whole({})));
  EXPECT_EQ(target[0], 7);
  TileView nothing = view_of(source, whole({3, 0}));
  nothing.data = nullptr;
  copy_elements(nothing, nothing);
}

TEST(CopyElements, CopiesEveryElementSizeAndRandomOrderOfModes) {
  std::mt19937 random(11);
  for (const DType dtype : all_dtypes()) {
    const Shape shape = {3, 4, 5};
    const auto bytes = static_cast<size_t>(size_in_bytes({dtype, shape}));
    std::vector<std::byte> source(bytes);
    for (std::byte& value : source) {
      value = static_cast<std::byte>(random() % 256);
    }
    const TileView from = dense_view(source.data(), dtype, whole(shape));
    std::vector<size_t> order = {0, 1, 2};
    do {
      TileView permuted = from;
      for (size_t mode = 0; mode < 3; ++mode) {
        permuted.shape[mode] = from.shape[order[mode]];
        permuted.strides[mode] = from.strides[order[mode]];
      }
      std::vector<std::byte> target(bytes);
      copy_elements(permuted, dense_view(target.data(), dtype, whole(permuted.shape.to_vector())));
      std::vector<std::byte> back(bytes);
      TileView restored = permuted;
      restored.data = back.data();
      copy_elements(dense_view(target.data(), dtype, whole(permuted.shape.to_vector())), restored);
      ASSERT_EQ(back, source) << name_of(dtype);
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

}  // namespace
}  // namespace tessera::tile_view_test
