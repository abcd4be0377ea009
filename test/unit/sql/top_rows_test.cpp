#include "sql/top_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::sql::top_rows_test {

namespace {

struct DrawnRow {
  int64_t partition;
  std::vector<int64_t> keys;
};

/// Counts, for each row, the rows before it in its partition as the function does.
int64_t rank_of(const std::vector<DrawnRow>& rows, size_t row, RankFunction function) {
  int64_t num_before = 0;
  std::set<std::vector<int64_t>> different;
  for (size_t other = 0; other < rows.size(); ++other) {
    const bool is_tied_before =
        function == RankFunction::row_number && rows[other].keys == rows[row].keys && other < row;
    if (rows[other].partition == rows[row].partition &&
        (rows[other].keys < rows[row].keys || is_tied_before)) {
      ++num_before;
      different.insert(rows[other].keys);
    }
  }
  return 1 + (function == RankFunction::dense_rank ? static_cast<int64_t>(different.size())
                                                   : num_before);
}

using Case = std::tuple<RankFunction, int64_t, int64_t>;  // the bound, and how many keys differ

class TopRowsTest : public testing::TestWithParam<Case> {};

TEST_P(TopRowsTest, KeepsTheRowsWithinTheBound) {
  const auto [function, most, num_values] = GetParam();
  std::mt19937_64 random(7);
  std::vector<DrawnRow> rows;
  for (int64_t row = 0; row < 300; ++row) {
    const auto drawn = [&](int64_t below) {
      return static_cast<int64_t>(random() % static_cast<uint64_t>(below));
    };
    rows.push_back({drawn(3), {drawn(num_values), drawn(2)}});
  }
  TopRows top(function, most, 3, 2, int64_t{1} << 20);
  std::vector<int64_t> expected;
  for (size_t row = 0; row < rows.size(); ++row) {
    EXPECT_TRUE(top.add(rows[row].partition, static_cast<int64_t>(row), rows[row].keys));
    if (rank_of(rows, row, function) <= most) {
      expected.push_back(static_cast<int64_t>(row));
    }
  }
  EXPECT_EQ(top.rows(), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Bounds, TopRowsTest,
    testing::Combine(testing::Values(RankFunction::row_number, RankFunction::rank,
                                     RankFunction::dense_rank),
                     testing::Values(-1, 0, 1, 2, 7, 50, 1000, int64_t{1} << 62),
                     testing::Values(1, 3, 100000)));

TEST(TopRows, SaysThatTheyAreTooMany) {
  TopRows top(RankFunction::rank, 2, 1, 1, 100);
  const std::vector<int64_t> keys{5};
  bool fits = true;
  for (int64_t row = 0; row < 100; ++row) {  // all are tied
    fits = top.add(0, row, keys) && fits;
  }
  EXPECT_FALSE(fits);
}

TEST(TopRows, OrdersValuesAsSqliteDoes) {
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<database::Value> ordered{{},   -infinity,  -2.5,     int64_t{-2}, -1e-310,
                                             0.25, int64_t{1}, infinity, nan};
  for (size_t one = 1; one < ordered.size(); ++one) {
    EXPECT_LT(sort_key(ordered[one - 1], false, {}), sort_key(ordered[one], false, {})) << one;
    EXPECT_GT(sort_key(ordered[one - 1], true, {}), sort_key(ordered[one], true, {})) << one;
  }
  EXPECT_EQ(sort_key(-0.0, false, {}), sort_key(int64_t{0}, false, {}));
  EXPECT_GT(sort_key({}, false, false), sort_key(nan, false, false));
  EXPECT_LT(sort_key({}, true, true), sort_key(nan, true, true));
}

TEST(TopRows, RefusesWhatNoDoubleOrders) {
  EXPECT_EQ(sort_key(std::string("x"), false, {}), std::nullopt);
  EXPECT_EQ(sort_key((int64_t{1} << 53) + 1, false, {}), std::nullopt);
}

}  // namespace

}  // namespace tessera::sql::top_rows_test
