#include "types/tile_type.h"

#include <gtest/gtest.h>

#include "base/budget.h"

namespace tessera::tile_type_test {
namespace {

const RowTile kRows = {{{DType::i64, {}}, {DType::f32, {3}}}, {10, 100}};

TEST(TileType, AnArrayTakesWhatItsElementsTake) {
  const TileType tile = DenseTile{DType::f32, {{2, 4}, {3, 5}}};
  EXPECT_EQ(bytes_of(tile), (Bytes{60, 60}));
  EXPECT_EQ(to_string(tile), "f32[2:5,4:9]");
  EXPECT_EQ(to_string(TileType(DenseTile{DType::i8, {}})), "i8[]");
  ASSERT_NE(dense_tile(tile), nullptr);
  EXPECT_EQ(dense_tile(tile)->box.origin, (std::vector<int64_t>{2, 4}));
}

TEST(TileType, RowsTakeAUnitsMultipleForEachColumn) {
  // 10 rows: 80 and 120 bytes; 100: 800 and 1200.
  EXPECT_EQ(bytes_of(kRows), (Bytes{128 + 128, 832 + 1216}));
  EXPECT_EQ(bytes_of(RowTile{kRows.columns, {0, 0}}), Bytes{});
  EXPECT_EQ(dense_tile(kRows), nullptr);
}

TEST(TileType, RowsThatNoMachineHoldsAreCountedWithoutOverflow) {
  const int64_t most = int64_t{1} << 62;
  EXPECT_EQ(bytes_of(RowTile{kRows.columns, {1, most}}), (Bytes{128, kMostBytes}));
  EXPECT_EQ(bytes_of(RowTile{{{DType::f64, {0}}}, {1, most}}), Bytes{});
}

TEST(TileType, RowsSayTheirCountOnceWhereItIsExact) {
  EXPECT_EQ(to_string(kRows), "rows[expected=10,at_most=100](i64[],f32[3])");
  EXPECT_EQ(to_string(TileType(RowTile{{{DType::b1, {}}}, {7, 7}})), "rows[7](b1[])");
}

TEST(TileType, LayoutsAreEqualWhateverTheirPlace) {
  const auto array = [](DType dtype, int64_t origin, int64_t extent) {
    return TileType(DenseTile{dtype, {{origin}, {extent}}});
  };
  EXPECT_TRUE(have_same_layout(array(DType::f32, 0, 4), array(DType::f32, 4, 4)));
  EXPECT_FALSE(have_same_layout(array(DType::f32, 0, 4), array(DType::f32, 4, 3)));
  EXPECT_FALSE(have_same_layout(array(DType::f32, 0, 4), array(DType::i32, 0, 4)));
  EXPECT_TRUE(have_same_layout(kRows, kRows));
  EXPECT_FALSE(have_same_layout(kRows, RowTile{kRows.columns, {10, 101}}));
  EXPECT_FALSE(have_same_layout(kRows, array(DType::i64, 0, 10)));
  EXPECT_FALSE(have_same_layout(array(DType::i64, 0, 10), kRows));
}

}  // namespace
}  // namespace tessera::tile_type_test
