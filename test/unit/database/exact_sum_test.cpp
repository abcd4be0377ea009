#include "database/exact_sum.h"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "database/sqlite.h"

namespace tessera::database::exact_sum_test {

namespace {

TEST(ExactSum, IsRoundedOnce) {
  ExactSum sum{};
  for (const double value : {1e16, 1.0, 1.0, 1e300, 5e-324, -1e300, -5e-324}) {
    sum.add(value);
  }
  EXPECT_EQ(sum.value(), 1e16 + 2);
  sum.subtract(1e16);
  EXPECT_EQ(sum.value(), 2);
  sum.subtract(3);
  EXPECT_EQ(sum.value(), -1);
  sum.add(std::numeric_limits<double>::infinity());
  EXPECT_EQ(sum.value(), std::numeric_limits<double>::infinity());
  sum.add(std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(std::isnan(sum.value()));
  sum.subtract(std::numeric_limits<double>::quiet_NaN());
  sum.subtract(std::numeric_limits<double>::infinity());
  EXPECT_EQ(sum.value(), -1);
}

/// The processor also rounds the exact sum of two values once.
TEST(ExactSum, IsThatOfTheProcessorForTwoValues) {
  std::mt19937_64 random(1);
  for (int number = 0; number < 20000; ++number) {
    const auto drawn = [&] {
      const double mantissa = std::ldexp(static_cast<double>(random() >> 11U), -53) - 0.5;
      return std::ldexp(mantissa, static_cast<int>(random() % (number % 2 == 0 ? 60 : 2000)) -
                                      (number % 2 == 0 ? 30 : 1070));
    };
    const double one = drawn();
    const double other = drawn();
    const double third = drawn();
    ExactSum sum{};
    sum.add(one);
    sum.add(third);
    sum.add(other);
    sum.subtract(third);
    ASSERT_EQ(sum.value(), one + other) << one << " " << other;
  }
}

TEST(ExactSum, GivesSqliteItsMovingFrames) {
  Connection connection(":memory:", Connection::Access::write);
  connection.execute("CREATE TABLE t(x)");
  Statement insert = connection.prepare("INSERT INTO t VALUES (?)");
  const std::vector<Value> values{1e16, int64_t{3}, 2.0, Value(), -1e16, int64_t{-7}, 0.5};
  for (const Value& value : values) {
    insert.bind(0, value);
    insert.step();
    insert.reset();
  }
  Statement sums = connection.prepare(
      "SELECT sum(x) OVER w, avg(x) OVER w, total(x) OVER w FROM t WINDOW w AS (ORDER BY rowid "
      "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)");
  const std::vector<double> expected{1e16, 1e16 + 4, 5, 2, -1e16, -1e16 - 8, -6.5};
  for (size_t row = 0; sums.step(); ++row) {
    EXPECT_EQ(std::get<double>(sums.value(0)), expected[row]) << row;
    EXPECT_EQ(sums.value(0), sums.value(2));
  }
  EXPECT_EQ(connection.integer("SELECT sum(x) FROM (SELECT 9223372036854775807 AS x UNION ALL "
                               "SELECT 9 UNION ALL SELECT -10)"),
            std::numeric_limits<int64_t>::max() - 1);
}

TEST(ExactSum, KeepsNanInSqlite) {
  Connection connection(":memory:", Connection::Access::write);
  Statement query =
      connection.prepare("SELECT x, sum(x), max(x), x > 1e308, x IS NULL FROM (SELECT ? AS x)");
  query.bind(0, std::numeric_limits<double>::quiet_NaN());
  ASSERT_TRUE(query.step());
  for (const int64_t column : {0, 1, 2}) {
    EXPECT_TRUE(std::isnan(std::get<double>(query.value(column)))) << column;
  }
  EXPECT_EQ(query.integer(3), 1);
  EXPECT_EQ(query.integer(4), 0);
}

}  // namespace

}  // namespace tessera::database::exact_sum_test
