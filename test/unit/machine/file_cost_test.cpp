#include "machine/file_cost.h"

#include <gtest/gtest.h>

namespace tessera::file_cost_test {
namespace {

const FileCosts kCosts;

FileEstimate read(const Shape& shape, const std::vector<int64_t>& lengths,
                  StorageOrder order = StorageOrder::row_major) {
  return file_estimate_of_tiles({shape, 4, order}, lengths, FileDirection::read, kCosts);
}

FileEstimate write(const Shape& shape, const std::vector<int64_t>& lengths) {
  return file_estimate_of_tiles({shape, 4, StorageOrder::row_major}, lengths, FileDirection::write,
                                kCosts);
}

TEST(FileCost, OfTilesIsTheSumOverThem) {
  const FileArray array{{7, 11, 5}, 4, StorageOrder::row_major};
  const std::vector<int64_t> lengths = {3, 4, 2};
  FileEstimate sum;
  for (const int64_t i : {3, 3, 1}) {
    for (const int64_t j : {4, 4, 3}) {
      for (const int64_t k : {2, 2, 1}) {
        const FileEstimate one = file_estimate(array, {i, j, k}, FileDirection::read, kCosts);
        sum.runs += one.runs;
        sum.seconds += one.seconds;
      }
    }
  }
  const FileEstimate all = file_estimate_of_tiles(array, lengths, FileDirection::read, kCosts);
  EXPECT_EQ(all.runs, sum.runs);
  EXPECT_EQ(all.runs, 7 * 11 * 3);
  EXPECT_NEAR(all.seconds, sum.seconds, 1e-9 * sum.seconds);
}

TEST(FileCost, CountsTheRunsOfNarrowColumns) {
  EXPECT_EQ(read({1000000, 16}, {31250, 16}).runs, 32);
  EXPECT_EQ(read({1000000, 16}, {500000, 1}).runs, 16'000'000);
  EXPECT_GT(read({1000000, 16}, {500000, 1}).seconds, 2 * read({1000000, 16}, {31250, 16}).seconds);
  // A span is read before it is written back.
  EXPECT_GT(write({1000000, 16}, {500000, 1}).seconds, read({1000000, 16}, {500000, 1}).seconds);
}

TEST(FileCost, OfAColumnMajorFileIsThatOfItsColumns) {
  EXPECT_EQ(read({1000, 2000}, {100, 2000}, StorageOrder::column_major).runs, 10 * 2000);
  EXPECT_EQ(read({1000, 2000}, {1000, 200}, StorageOrder::column_major).runs, 10);
  EXPECT_GT(read({1000, 2000}, {10, 2000}, StorageOrder::column_major).seconds,
            read({1000, 2000}, {1000, 20}, StorageOrder::column_major).seconds);
}

TEST(FileCost, OfNothingIsNothing) {
  EXPECT_EQ(read({0, 5}, {1, 5}).seconds, 0);
  EXPECT_EQ(read({}, {}).runs, 1);
}

}  // namespace
}  // namespace tessera::file_cost_test
