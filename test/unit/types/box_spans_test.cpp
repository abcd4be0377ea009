#include "types/box_spans.h"

#include <random>

#include <gtest/gtest.h>

namespace tessera::box_spans_test {
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

/// Where the elements of a part of a box lie, element by element as in the box.
void append_places(const Shape& shape, const BoxSpan& span, std::vector<int64_t>& places) {
  const std::vector<int64_t> more = places_of(shape, span.part);
  places.insert(places.end(), more.begin(), more.end());
}

TEST(BoxSpans, CoverEveryElementInOrderWithinTheirBytes) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 3000; ++trial) {
    const Shape shape = random_shape(random);
    const Box box = random_box(random, shape);
    const int64_t element_bytes = int64_t{1} << (random() % 12);
    const BoxSpans spans = spans_of(shape, box.extent, element_bytes);
    std::vector<int64_t> places;
    int64_t num_spans = 0;
    int64_t bytes = 0;
    for (SpanWalk walk(shape, box, element_bytes, spans); !walk.is_over(); walk.advance()) {
      const BoxSpan& span = walk.span();
      const size_t before = places.size();
      append_places(shape, span, places);
      ASSERT_EQ(span.offset, places[before] * element_bytes);
      ASSERT_EQ(span.bytes, (places.back() - places[before] + 1) * element_bytes);
      ASSERT_TRUE(!spans.has_gaps || span.bytes <= kStagingBytes);
      ++num_spans;
      bytes += span.bytes;
    }
    ASSERT_EQ(places, places_of(shape, box)) << to_string(shape);
    ASSERT_EQ(num_spans, spans.num_spans);
    ASSERT_EQ(bytes, spans.bytes);
    ASSERT_EQ(spans.has_gaps, spans.bytes > num_elements(box.extent) * element_bytes);
  }
}

TEST(BoxSpans, OfAWholeTensorAreOneRun) {
  const BoxSpans spans = spans_of({4, 5, 6}, {4, 5, 6}, 4);
  EXPECT_EQ(spans.num_runs, 1);
  EXPECT_EQ(spans.num_spans, 1);
  EXPECT_EQ(spans.bytes, 480);
}

TEST(BoxSpans, OfRowsAreOneRun) {
  const BoxSpans spans = spans_of({10, 5, 6}, {4, 5, 6}, 4);
  EXPECT_EQ(spans.num_runs, 1);
  EXPECT_EQ(spans.num_spans, 1);
}

TEST(BoxSpans, OfAScalarAreOneRun) {
  const BoxSpans spans = spans_of({}, {}, 8);
  EXPECT_EQ(spans.num_runs, 1);
  EXPECT_EQ(spans.num_spans, 1);
  EXPECT_EQ(spans.bytes, 8);
}

TEST(BoxSpans, TakeNarrowColumnsWithTheGapsBetweenThem) {
  // A column of 16: 1,000,000 runs of 4 bytes, 4,096 rows of 64 bytes at a time.
  const BoxSpans spans = spans_of({1000000, 16}, {1000000, 1}, 4);
  EXPECT_EQ(spans.num_runs, 1000000);
  EXPECT_TRUE(spans.has_gaps);
  EXPECT_EQ(spans.num_spans, 245);
  EXPECT_EQ(spans.bytes, 1000000 * 64 - 245 * 60);
}

TEST(BoxSpans, TakeRunsFarApartOneByOne) {
  const BoxSpans spans = spans_of({1000, 20000}, {1000, 1000}, 4);
  EXPECT_EQ(spans.num_runs, 1000);
  EXPECT_FALSE(spans.has_gaps);
  EXPECT_EQ(spans.num_spans, 1000);
  EXPECT_EQ(spans.bytes, 1000 * 1000 * 4);
}

TEST(BoxSpans, HandleTwentySevenModes) {
  const Shape shape(27, 2);
  const Box box{std::vector<int64_t>(27, 1), Shape(27, 1)};
  const BoxSpans spans = spans_of(shape, box.extent, 1);
  const SpanWalk walk(shape, box, 1, spans);
  EXPECT_EQ(walk.span().offset, (int64_t{1} << 27) - 1);
  EXPECT_EQ(spans.num_runs, 1);
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
}  // namespace tessera::box_spans_test
