#include "types/shape.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "types/array_type.h"
#include "types/grid.h"
#include "types/origin.h"

namespace tessera::shape_test {
namespace {

TEST(Shape, CountsElementsAndStrides) {
  EXPECT_EQ(num_elements(Shape{}), 1);
  EXPECT_EQ(num_elements(Shape{2, 3}), 6);
  EXPECT_EQ(num_elements(Shape{2, 0, 3}), 0);
  EXPECT_EQ(dense_strides({2, 3, 4}), (Strides{12, 4, 1}));
  EXPECT_EQ(dense_strides({}), Strides{});
  EXPECT_EQ(to_string(Shape{}), "[]");
  EXPECT_EQ(to_string(Shape{2, 3}), "[2,3]");
}

TEST(Box, MeetsWhereBothAre) {
  EXPECT_EQ(intersect({{0, 2}, {4, 4}}, {{2, 0}, {4, 3}}), (Box{{2, 2}, {2, 1}}));
  EXPECT_EQ(num_elements(intersect({{0}, {3}}, {{3}, {3}}).extent), 0);
  EXPECT_EQ(num_elements(intersect({{0}, {3}}, {{9}, {3}}).extent), 0);
  EXPECT_EQ(intersect(whole({}), whole({})), whole({}));
}

TEST(ArrayType, ReadsItsText) {
  for (const ArrayType& type : {ArrayType{DType::f32, {1000, 64}}, ArrayType{DType::bf16, {}},
                                ArrayType{DType::c128, {0}}, ArrayType{DType::b1, Shape(27, 2)}}) {
    EXPECT_EQ(parse_array_type(to_string(type)), type);
  }
  EXPECT_EQ(parse_array_type("float32[3]"), (ArrayType{DType::f32, {3}}));
  EXPECT_EQ(size_in_bytes({DType::c128, {2, 3}}), 96);
}

TEST(ArrayType, RefusesOtherText) {
  for (const std::string text :
       {"", "f32", "f32[", "f32]", "f32[3", "f32[3,]", "f32[,3]", "f32[-1]", "f32[3 ]", "x[3]",
        "f32[3]4", "f32[3]]", "f32[[3]", "f32[3;4]", "[3]", "]", "f32[99999999999999999999]"}) {
    EXPECT_EQ(parse_array_type(text), std::nullopt) << text;
  }
}

TEST(ModeGrid, CutsEveryPiece) {
  EXPECT_EQ(cut_every(10, 4).cuts, (std::vector<int64_t>{0, 4, 8, 10}));
  EXPECT_EQ(cut_every(8, 4).num_pieces(), 2);
  EXPECT_EQ(cut_every(3, 4), uncut(3));
  EXPECT_EQ(cut_every(0, 4), uncut(0));
  EXPECT_EQ(cut_every(10, 4).length(2), 2);
  EXPECT_THROW(cut_every(10, 0), Error);
}

TEST(ModeGrid, CutsNearTheEndOfTheIntegers) {
  EXPECT_EQ(cut_every(INT64_MAX, INT64_MAX - 1).num_pieces(), 2);
}

TEST(ModeGrid, RefusesPiecesThatWouldFillTheMemory) {
  EXPECT_THROW(cut_every(int64_t{1} << 50, 1), Error);
  EXPECT_THROW(cut_every(kMostPieces, 1), Error);
  EXPECT_EQ(cut_every(1000, 1).num_pieces(), 1000);
}

TEST(ModeGrid, FindsThePieceOfAPosition) {
  const ModeGrid grid = cut_every(10, 4);
  for (int64_t position = 0; position < 10; ++position) {
    const int64_t piece = piece_at(grid, position);
    EXPECT_LE(grid.begin(piece), position);
    EXPECT_LT(position, grid.begin(piece) + grid.length(piece));
  }
  EXPECT_EQ(piece_at(uncut(0), 0), 0);
}

TEST(ModeGrid, RefinesToEveryCutOfBoth) {
  const ModeGrid a = cut_every(12, 4);
  const ModeGrid b = cut_every(12, 6);
  const ModeGrid both = common_refinement(a, b);
  EXPECT_EQ(both.cuts, (std::vector<int64_t>{0, 4, 6, 8, 12}));
  EXPECT_TRUE(refines(both, a));
  EXPECT_TRUE(refines(both, b));
  EXPECT_FALSE(refines(a, b));
  EXPECT_EQ(common_refinement(uncut(0), uncut(0)), uncut(0));
  EXPECT_THROW(common_refinement(uncut(3), uncut(4)), Error);
}

TEST(ModeGrid, KnowsAUniformLength) {
  EXPECT_EQ(uniform_length(cut_every(12, 4)), 4);
  EXPECT_EQ(uniform_length(cut_every(10, 4)), -1);
  EXPECT_EQ(uniform_length(uncut(5)), 5);
}

TEST(Origin, ReadsItsText) {
  for (const Origin& origin : {Origin{"QH", "attention.ein", 5, 1}, Origin{"C", "", 0, 0},
                               Origin{"C", "copy (2)/a:b (1).ein", 12, 30}}) {
    EXPECT_EQ(parse_origin(to_string(origin)), origin) << to_string(origin);
  }
}

}  // namespace
}  // namespace tessera::shape_test
