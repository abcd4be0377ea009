#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "sql/csv_reader.h"
#include "sql/random_keys.h"
#include "sql/value_text.h"

namespace tessera::sql::text_test {

namespace {

TEST(CsvReader, ReadsQuotesAndNulls) {
  const std::string text = "1,\"a, \"\"b\"\"\nc\",\r\n,\"\",x";
  CsvReader reader("test", text, ',');
  EXPECT_THAT(reader.next().value(), testing::ElementsAre("1", "a, \"b\"\nc", std::nullopt));
  EXPECT_THAT(reader.next().value(), testing::ElementsAre(std::nullopt, "", "x"));
  EXPECT_EQ(reader.line(), 3);
  EXPECT_EQ(reader.next(), std::nullopt);
}

TEST(CsvReader, RefusesAnOpenQuote) {
  const std::string text = "1,\"a\n";
  CsvReader reader("test", text, ',');
  EXPECT_THROW(reader.next(), Error);
}

TEST(ValueText, ReadsBackAsTheSame) {
  EXPECT_EQ(value_text(0.1), "0.1");
  EXPECT_EQ(value_text(int64_t{-3}), "-3");
  EXPECT_EQ(value_text(database::Value()), "");
  EXPECT_EQ(csv_field("a,b", ','), "\"a,b\"");
  EXPECT_EQ(csv_field("a,b", ';'), "a,b");
}

TEST(RandomKeys, FollowFromWhatIsDrawnFor) {
  RandomKeys keys(0, "one");
  const int64_t first = keys.next();
  EXPECT_NE(first, keys.next());
  EXPECT_EQ(RandomKeys(0, "one").next(), first);
  EXPECT_NE(RandomKeys(1, "one").next(), first);
  const auto before = keys.exchange({"other", 0});
  const int64_t other = keys.next();
  keys.exchange(before);
  EXPECT_NE(keys.next(), other);
}

}  // namespace

}  // namespace tessera::sql::text_test
