#include "io/box_runs.h"

#include <random>

#include <gtest/gtest.h>

namespace tessera::io {
namespace {

/// The places of a box's elements in a row-major array, one by one.
std::vector<int64_t> places_of(const Shape& shape, const Box& box) {
  std::vector<int64_t> places;
  const Strides strides = dense_strides(shape);
  const Strides in_box = dense_strides(box.extent);
  for (int64_t element = 0; element < num_elements(box.extent); ++element) {
    int64_t place = 0;
    for (size_t mode = 0; mode < shape.size(); ++mode) {
      place += (box.origin[mode] + element / in_box[mode] % box.extent[mode]) * strides[mode];
    }
    places.push_back(place);
  }
  return places;
}

std::vector<int64_t> places_of(const BoxRuns& runs) {
  std::vector<int64_t> places;
  for (int64_t group = 0; group < runs.num_groups; ++group) {
    for (int64_t run = 0; run < runs.count; ++run) {
      for (int64_t element = 0; element < runs.length; ++element) {
        places.push_back(runs.group_begin(group) + run * runs.pitch + element);
      }
    }
  }
  return places;
}

Shape random_shape(std::mt19937& random) {
  Shape shape(random() % 6);
  for (int64_t& extent : shape) {
    extent = 1 + static_cast<int64_t>(random() % 5);
  }
  return shape;
}

Box random_box(std::mt19937& random, const Shape& shape) {
  Box box;
  for (const int64_t extent : shape) {
    const int64_t length = 1 + static_cast<int64_t>(random()) % extent;
    box.extent.push_back(length);
    box.origin.push_back(static_cast<int64_t>(random()) % (extent - length + 1));
  }
  return box;
}

TEST(BoxRuns, CoverEveryElementInOrder) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 3000; ++trial) {
    const Shape shape = random_shape(random);
    const Box box = random_box(random, shape);
    ASSERT_EQ(places_of(runs_of(shape, box)), places_of(shape, box)) << to_string(shape);
  }
}

TEST(BoxRuns, OfAWholeTensorAreOne) {
  const BoxRuns runs = runs_of({4, 5, 6}, whole({4, 5, 6}));
  EXPECT_EQ(runs.length, 120);
  EXPECT_EQ(runs.count, 1);
  EXPECT_EQ(runs.num_groups, 1);
}

TEST(BoxRuns, OfRowsAreOne) {
  const BoxRuns runs = runs_of({10, 5, 6}, {{3, 0, 0}, {4, 5, 6}});
  EXPECT_EQ(runs.length, 120);
  EXPECT_EQ(runs.group_begin(0), 90);
}

TEST(BoxRuns, OfAScalarAreOneElement) {
  const BoxRuns runs = runs_of({}, {});
  EXPECT_EQ(runs.length, 1);
  EXPECT_EQ(runs.num_groups, 1);
  EXPECT_EQ(runs.group_begin(0), 0);
}

TEST(BoxRuns, SkipModesOfOnePosition) {
  // The run of the last modes goes on through the mode of extent 1, the group is mode 0.
  const BoxRuns runs = runs_of({7, 3, 4}, {{0, 1, 0}, {7, 1, 4}});
  EXPECT_EQ(runs.length, 4);
  EXPECT_EQ(runs.count, 7);
  EXPECT_EQ(runs.pitch, 12);
  EXPECT_EQ(runs.num_groups, 1);
}

TEST(BoxRuns, HandleTwentySevenModes) {
  const Shape shape(27, 2);
  Box box{std::vector<int64_t>(27, 1), Shape(27, 1)};
  EXPECT_EQ(runs_of(shape, box).group_begin(0), (int64_t{1} << 27) - 1);
}

TEST(Blocks, CoverABoxOnceWithinTheirLimits) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 2000; ++trial) {
    const Shape shape = random_shape(random);
    const Box box = random_box(random, shape);
    const int64_t max_elements = 1 + static_cast<int64_t>(random() % 40);
    const int64_t max_run = 1 + static_cast<int64_t>(random() % 6);
    std::vector<int64_t> times(static_cast<size_t>(num_elements(shape)), 0);
    for (const Box& block : blocks_of(box, max_elements, max_run)) {
      ASSERT_LE(num_elements(block.extent), max_elements);
      ASSERT_TRUE(block.extent.empty() || block.extent.back() <= max_run);
      ASSERT_EQ(intersect(block, box), block);
      for (const int64_t place : places_of(shape, block)) {
        ++times[static_cast<size_t>(place)];
      }
    }
    std::vector<int64_t> expected(times.size(), 0);
    for (const int64_t place : places_of(shape, box)) {
      expected[static_cast<size_t>(place)] = 1;
    }
    ASSERT_EQ(times, expected);
  }
}

TEST(Blocks, OfAnEmptyBoxAreNone) {
  EXPECT_TRUE(blocks_of({{0, 0}, {3, 0}}, 10, 10).empty());
}

}  // namespace
}  // namespace tessera::io
