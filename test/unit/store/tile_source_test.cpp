#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "store/memory_tensor.h"

namespace tessera::store::tile_source_test {
namespace {

/// Counts how often it is read.
class CountedTensor : public TileSource {
 public:
  explicit CountedTensor(const ArrayType& type) : tensor_(type) {
    std::vector<int32_t> elements(static_cast<size_t>(num_elements(type.shape)));
    std::iota(elements.begin(), elements.end(), 0);
    tensor_.write(
        dense_view(reinterpret_cast<std::byte*>(elements.data()), type.dtype, whole(type.shape)));
  }
  ArrayType type() const override { return tensor_.type(); }
  void read(const TileView& into) const override {
    ++num_reads;
    tensor_.read(into);
  }
  mutable int num_reads = 0;

 private:
  MemoryTensor tensor_;
};

/// Of a tensor i32[3,9,4]: of its second plane, columns 1 and 2, the rows at these positions.
std::vector<int32_t> gathered(const CountedTensor& source, const std::vector<int64_t>& positions) {
  const auto rows = static_cast<int64_t>(positions.size());
  std::vector<int32_t> elements(positions.size() * 2);
  source.gather(dense_view(reinterpret_cast<std::byte*>(elements.data()), DType::i32,
                           {{1, 0, 1}, {1, rows, 2}}),
                1, positions);
  return elements;
}

TEST(TileSource, GathersInTheOrderOfThePositions) {
  const CountedTensor source({DType::i32, {3, 9, 4}});
  EXPECT_EQ(gathered(source, {8, 0, 0}), (std::vector<int32_t>{69, 70, 37, 38, 37, 38}));
  EXPECT_EQ(source.num_reads, 3);
}

TEST(TileSource, ReadsPositionsThatFollowEachOtherAtOnce) {
  const CountedTensor source({DType::i32, {3, 9, 4}});
  EXPECT_EQ(gathered(source, {2, 3, 4, 1}), (std::vector<int32_t>{45, 46, 49, 50, 53, 54, 41, 42}));
  EXPECT_EQ(source.num_reads, 2);
}

TEST(TileSource, GathersNothingWithoutPositions) {
  const CountedTensor source({DType::i32, {3, 9, 4}});
  EXPECT_EQ(gathered(source, {}), std::vector<int32_t>());
  EXPECT_EQ(source.num_reads, 0);
}

}  // namespace
}  // namespace tessera::store::tile_source_test
