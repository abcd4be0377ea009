#include "sql/version_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "frontend/sql/parse.h"

namespace tessera::sql::version_index_test {

namespace {

using frontend::sql::parse;

std::vector<frontend::sql::DefinedIndex> indices_of(const std::string& head) {
  const auto statements = parse({"test", "CREATE TABLE t" + head + " AS SELECT 1 AS x"}).value();
  return std::get<frontend::sql::DefineVersions>(statements.at(0).of).indices;
}

frontend::sql::TableReference reference(const std::string& text) {
  const auto statements = parse({"test", "MATERIALIZE " + text}).value();
  return std::get<frontend::sql::Materialize>(statements.at(0).of).version;
}

TEST(VersionIndex, MatchesRanges) {
  const auto indices = indices_of("[i:2...][j:1...i-1]");
  EXPECT_EQ(match(indices, {5, 4}), (IndexValues{{"i", 5}, {"j", 4}}));
  EXPECT_EQ(match(indices, {5, 5}), std::nullopt);
  EXPECT_EQ(match(indices, {1, 1}), std::nullopt);
  EXPECT_EQ(match(indices, {5}), std::nullopt);
}

TEST(VersionIndex, MatchesNumbersAndNamesThatStandAgain) {
  EXPECT_EQ(match(indices_of("[i:1...][i]"), {3, 3}), (IndexValues{{"i", 3}}));
  EXPECT_EQ(match(indices_of("[i:1...][i]"), {3, 2}), std::nullopt);
  EXPECT_EQ(match(indices_of("[0][j:9]"), {0, 9}), (IndexValues{{"j", 9}}));
  EXPECT_EQ(match(indices_of("[0][j:9]"), {1, 9}), std::nullopt);
}

TEST(VersionIndex, CountsWhatAReferenceMeans) {
  EXPECT_THAT(versions_of(reference("t[i+1][2]"), {{"i", 4}}),
              testing::ElementsAre(VersionKey{5, 2}));
  EXPECT_THAT(versions_of(reference("t[7/2]"), {}), testing::ElementsAre(VersionKey{3}));
  EXPECT_EQ(version_name("t", {5, -2}), "t[5][-2]");
}

TEST(VersionIndex, RefusesWhatIsNoWholeNumber) {
  EXPECT_THROW(versions_of(reference("t[1.5]"), {}), Error);
  EXPECT_THROW(versions_of(reference("t[j]"), {{"i", 1}}), Error);
  EXPECT_THROW(versions_of(reference("t[1/0]"), {}), Error);
  EXPECT_THROW(versions_of(reference("t[9223372036854775807 + 1]"), {}), Error);
}

}  // namespace

}  // namespace tessera::sql::version_index_test
