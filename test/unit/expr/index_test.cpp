#include "expr/index.h"

#include <set>

#include <gtest/gtest.h>

#include "expr/scalar.h"

namespace tessera::expr::index_test {
namespace {

/// 2*a - b + 3 over labels a = 0, b = 1.
const Index kWindow = affine({{{0, 2}, {1, -1}}, 3});
const Index kGathered = GatheredIndex{0};

std::vector<LabelNumber> labels_of(const Index& index) {
  std::vector<LabelNumber> labels;
  for_each_label(index, [&](LabelNumber label) { labels.push_back(label); });
  return labels;
}

int64_t num_read_over(const Index& index, const std::vector<int64_t>& lengths) {
  return num_read(index, [&](LabelNumber label) { return lengths[static_cast<size_t>(label)]; });
}

TEST(Index, IsPlainOrFixedWhereItSaysNoMore) {
  EXPECT_EQ(affine({{{4, 1}}, 0}), plain(4));
  EXPECT_EQ(affine({{}, 7}), fixed(7));
  EXPECT_FALSE(is_plain_or_fixed(affine({{{4, 1}}, 1})));
  EXPECT_FALSE(is_plain_or_fixed(affine({{{4, 2}}, 0})));
  EXPECT_FALSE(is_plain_or_fixed(affine({{{4, 1}}, 0, 1, Edge{}})));
  EXPECT_FALSE(is_plain_or_fixed(affine({{}, 7, 1, Pad{int64_t{0}}})));
  EXPECT_EQ(plain_label(plain(4)), 4);
  EXPECT_EQ(plain_label(fixed(4)), std::nullopt);
  EXPECT_EQ(plain_label(kWindow), std::nullopt);
}

TEST(Index, IsLinearWithoutDivisorBoundaryAndGather) {
  EXPECT_TRUE(is_linear(plain(0)) && is_linear(fixed(3)) && is_linear(kWindow));
  EXPECT_FALSE(is_linear(affine({{{0, 1}}, 0, 2, Pad{int64_t{0}}})));
  EXPECT_FALSE(is_linear(affine({{{0, 1}}, 0, 1, Reflect{}})));
  EXPECT_FALSE(is_linear(kGathered));
}

TEST(Index, PadsAreEqualToTheLastBit) {
  EXPECT_NE(affine({{{0, 1}}, 0, 1, Pad{0.0}}), affine({{{0, 1}}, 0, 1, Pad{-0.0}}));
  EXPECT_EQ(affine({{{0, 1}}, 0, 1, Pad{0.0}}), affine({{{0, 1}}, 0, 1, Pad{0.0}}));
}

TEST(Index, NamesItsLabelsInTheOrderTheyAreWritten) {
  EXPECT_EQ(labels_of(plain(4)), std::vector<LabelNumber>{4});
  EXPECT_EQ(labels_of(fixed(4)), std::vector<LabelNumber>{});
  EXPECT_EQ(labels_of(affine({{{3, 1}, {1, 1}}, 0})), (std::vector<LabelNumber>{3, 1}));
  EXPECT_EQ(labels_of(kGathered), std::vector<LabelNumber>{});
  EXPECT_TRUE(mentions(kWindow, 1) && !mentions(kWindow, 2));
  EXPECT_EQ(relabelled(kWindow, std::vector<LabelNumber>{5, 6}), affine({{{5, 2}, {6, -1}}, 3}));
}

TEST(Index, SumsTheCoefficientsOfALabel) {
  EXPECT_EQ(coefficient_of(affine({{{0, 2}, {0, 3}}, 1}), 0), 5);
  EXPECT_EQ(coefficient_of(plain(1), 1), 1);
  EXPECT_EQ(coefficient_of(plain(1), 0), 0);
  EXPECT_EQ(offset_of(kWindow), 3);
  EXPECT_EQ(offset_of(fixed(9)), 9);
}

TEST(Index, NamesAPositionForEveryValueOfItsLabels) {
  const std::vector<int64_t> labels = {10, 4};
  EXPECT_EQ(position_of(kWindow, labels, 0), 19);
  EXPECT_EQ(position_of(fixed(6), labels, 0), 6);
  EXPECT_EQ(position_of(kGathered, labels, 77), 77);
  const Index half = affine({{{0, 1}, {1, -1}}, 0, 2, Pad{int64_t{0}}});
  EXPECT_EQ(position_of(half, labels, 0), 3);
  EXPECT_EQ(position_of(half, std::vector<int64_t>{10, 5}, 0), std::nullopt);
  EXPECT_EQ(position_of(half, std::vector<int64_t>{0, 4}, 0), -2);
}

TEST(Index, BoundariesSayWhatLiesOutside) {
  EXPECT_EQ(bounded(2, 3, Inside{}), 2);
  EXPECT_EQ(bounded(3, 3, Inside{}), std::nullopt);
  EXPECT_EQ(bounded(-1, 3, Pad{int64_t{0}}), std::nullopt);
  EXPECT_EQ(bounded(-5, 3, Edge{}), 0);
  EXPECT_EQ(bounded(5, 3, Edge{}), 2);
  EXPECT_EQ(bounded(0, 0, Edge{}), std::nullopt);
  std::vector<int64_t> mirrored;  // as numpy.pad(..., mode="reflect") of [0, 1, 2]
  for (int64_t position = -4; position < 7; ++position) {
    mirrored.push_back(*bounded(position, 3, Reflect{}));
  }
  EXPECT_EQ(mirrored, (std::vector<int64_t>{0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2}));
  EXPECT_EQ(bounded(-7, 1, Reflect{}), 0);
}

TEST(Index, ReachesFromItsLowestToItsHighestPosition) {
  const std::vector<LabelRange> ranges = {{1, 4}, {2, 3}};
  const std::optional<Reach> reach = reach_of(kWindow, ranges);  // 2*[1,4] - [2,4] + 3
  ASSERT_TRUE(reach.has_value());
  EXPECT_EQ(static_cast<int64_t>(reach->lowest), 1);
  EXPECT_EQ(static_cast<int64_t>(reach->highest), 9);
  EXPECT_EQ(reach_of(kGathered, ranges).has_value(), false);
}

TEST(Index, CountsTheElementsUnderAWindowOnce) {
  EXPECT_EQ(num_read_over(plain(1), {5, 3}), 3);
  EXPECT_EQ(num_read_over(fixed(1), {5, 3}), 1);
  EXPECT_EQ(num_read_over(affine({{{0, 1}, {1, 1}}, 0}), {5, 3}), 7);   // X[i+k]
  EXPECT_EQ(num_read_over(affine({{{1, 1}, {0, 1}}, 0}), {5, 3}), 7);   // X[k+i]
  EXPECT_EQ(num_read_over(affine({{{0, 2}, {1, 1}}, 0}), {5, 2}), 10);  // X[2*i+k]
  EXPECT_EQ(num_read_over(affine({{{0, 9}}, 0}), {5, 3}), 5);           // X[9*i]: of 37, 5
  EXPECT_EQ(num_read_over(affine({{{0, -1}}, 4}), {5, 3}), 5);
  EXPECT_EQ(num_read_over(affine({{{0, 1}, {1, 1}}, 0}), {5, 0}), 0);
  EXPECT_EQ(num_read_over(affine({{{0, 1}, {1, 1}}, 0, 2, Pad{int64_t{0}}}), {5, 3}), 4);
}

TEST(Index, ANodeIsAnArgumentOfTheAccessThatGathersByIt) {
  ScalarBuilder builder;
  const int32_t table = builder.access({1, {plain(0)}}, DType::i64);
  const int32_t read = builder.access({0, {GatheredIndex{table}, plain(1)}}, DType::f32);
  const Scalar scalar = builder.finish(read);
  ASSERT_EQ(scalar.nodes.size(), 2U);
  EXPECT_TRUE(mentions_label(scalar, 0));
  EXPECT_EQ(labels_below(scalar, 1), (std::vector<LabelNumber>{0, 1}));
  EXPECT_EQ(accesses_of(scalar).size(), 2U);
  const auto& access = std::get<Access>(scalar.nodes[1].op);
  EXPECT_EQ(num_read(scalar, access, [](LabelNumber label) { return label == 0 ? 5 : 3; }), 15);
}

/// The elements that an index reads of a mode: looked at one by one.
std::set<int64_t> elements_read(const Index& index, const std::vector<LabelRange>& ranges,
                                int64_t extent) {
  std::set<int64_t> elements;
  for (int64_t i = 0; i < ranges[0].length; ++i) {
    for (int64_t k = 0; k < ranges[1].length; ++k) {
      const std::vector<int64_t> labels = {ranges[0].begin + i, ranges[1].begin + k};
      const std::optional<int64_t> position = position_of(index, labels, 0);
      const std::optional<int64_t> element =
          position ? bounded(*position, extent, boundary_of(index)) : std::nullopt;
      if (element) {
        elements.insert(*element);
      }
    }
  }
  return elements;
}

TEST(PositionsRead, CoverWhatIsReadAndNothingMoreWhereItIsRead) {
  const std::vector<Boundary> boundaries = {Pad{Literal(int64_t{0})}, Edge{}, Reflect{}};
  for (const Boundary& outside : boundaries) {
    for (const int64_t step : {1, 2, -1}) {
      for (int64_t offset = -9; offset < 14; ++offset) {
        for (const int64_t extent : {1, 4, 7}) {
          const Index index = affine({{{0, step}, {1, 1}}, offset, 1, outside});
          const std::vector<LabelRange> ranges = {{2, 3}, {0, 2}};
          const std::optional<LabelRange> part = positions_read(index, ranges, extent);
          ASSERT_TRUE(part.has_value() && part->begin >= 0 && part->length > 0);
          ASSERT_LE(part->begin + part->length, extent);
          const std::set<int64_t> read = elements_read(index, ranges, extent);
          if (!read.empty()) {
            EXPECT_LE(part->begin, *read.begin());
            EXPECT_GE(part->begin + part->length, *read.rbegin() + 1);
          }
          if (!read.empty() && std::holds_alternative<Edge>(outside)) {
            EXPECT_EQ(*part, (LabelRange{*read.begin(), *read.rbegin() + 1 - *read.begin()}));
          }
        }
      }
    }
  }
}

TEST(PositionsRead, AreNotKnownOfData) {
  EXPECT_FALSE(positions_read(kGathered, std::vector<LabelRange>{{0, 2}, {0, 2}}, 5).has_value());
}

TEST(Slide, IsAlongTheLabelThatMovesFarthest) {
  const auto extent_of = [](LabelNumber label) { return label == 0 ? 100 : 30; };
  EXPECT_EQ(slide_of(affine({{{0, 1}, {1, 1}}, 3}), extent_of), (Slide{0, 1, 1}));
  EXPECT_EQ(slide_of(affine({{{0, 1}, {1, -4}}, 3}), extent_of), (Slide{1, -4, 1}));
  EXPECT_EQ(slide_of(plain(1), extent_of), (Slide{1, 1, 1}));
  EXPECT_FALSE(slide_of(fixed(2), extent_of).has_value());
}

}  // namespace
}  // namespace tessera::expr::index_test
