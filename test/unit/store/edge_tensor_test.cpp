#include "store/edge_tensor.h"

#include <numeric>

#include <gmock/gmock.h>

namespace tessera::store::edge_tensor_test {
namespace {

using testing::ElementsAre;

/// Writes 0, 1, 2, ... in tiles of the given shape, as a run does.
void write_counted(EdgeTensor& tensor, const Shape& tile) {
  const Shape& shape = tensor.type().shape;
  std::vector<int32_t> values(static_cast<size_t>(num_elements(shape)));
  std::iota(values.begin(), values.end(), 0);
  const TileView all =
      dense_view(reinterpret_cast<std::byte*>(values.data()), DType::i32, whole(shape));
  for (int64_t row = 0; row < shape[0]; row += tile[0]) {
    for (int64_t column = 0; column < shape[1]; column += tile[1]) {
      tensor.write(subview(all, intersect(whole(shape), {{row, column}, tile})));
    }
  }
}

std::vector<int32_t> kept_of(const EdgeTensor& tensor) {
  const TileView kept = tensor.kept();
  return {kept.as<int32_t>(), kept.as<int32_t>() + num_elements(kept.shape)};
}

TEST(EdgeTensor, KeepsTheEndsOfLongModesForAnyTiles) {
  for (const Shape& tile : {Shape{7, 100}, Shape{1, 1}, Shape{3, 7}, Shape{2, 3}}) {
    EdgeTensor tensor({DType::i32, {7, 100}}, 2);
    write_counted(tensor, tile);
    EXPECT_EQ(tensor.kept().shape, (Shape{4, 4}));
    EXPECT_THAT(kept_of(tensor), ElementsAre(0, 1, 98, 99, 100, 101, 198, 199, 500, 501, 598, 599,
                                             600, 601, 698, 699));
  }
}

TEST(EdgeTensor, KeepsAllOfShortModes) {
  EdgeTensor tensor({DType::i32, {4, 5}}, 2);
  write_counted(tensor, {3, 2});
  EXPECT_EQ(tensor.kept().shape, (Shape{4, 4}));
  EXPECT_THAT(kept_of(tensor), ElementsAre(0, 1, 3, 4, 5, 6, 8, 9, 10, 11, 13, 14, 15, 16, 18, 19));
}

TEST(EdgeTensor, KeepsEverythingWithoutAnEdge) {
  EdgeTensor tensor({DType::i32, {2, 3}}, std::nullopt);
  write_counted(tensor, {1, 2});
  EXPECT_THAT(kept_of(tensor), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(EdgeTensor, KeepsAScalar) {
  int32_t value = 7;
  EdgeTensor tensor({DType::i32, {}}, 3);
  tensor.write(dense_view(reinterpret_cast<std::byte*>(&value), DType::i32, whole({})));
  EXPECT_THAT(kept_of(tensor), ElementsAre(7));
}

}  // namespace
}  // namespace tessera::store::edge_tensor_test
