#include "sql/key_tables.h"

#include <gtest/gtest.h>

namespace tessera::sql::key_tables_test {

namespace {

class KeyTablesTest : public testing::Test {
 protected:
  KeyTables::TablePtr ask(const std::string& query,
                          const std::vector<std::string>& columns = {"a"}) {
    if (KeyTables::TablePtr known = tables_.find(query, columns)) {
      return known;
    }
    ++num_made_;
    return tables_.keep(query, columns,
                        std::make_shared<const TemporaryTable>(
                            connection_, "tessera_q" + std::to_string(num_made_), columns, query));
  }

  database::Connection connection_{":memory:", database::Connection::Access::write};
  KeyTables tables_{connection_};
  int num_made_ = 0;
};

TEST_F(KeyTablesTest, GiveTheTableOfTheSameQuery) {
  const KeyTables::TablePtr first = ask("SELECT 1");
  EXPECT_EQ(ask("SELECT 1"), first);
  EXPECT_NE(ask("SELECT 1", {"b"}), first);
  EXPECT_NE(ask("SELECT 2"), first);
  EXPECT_EQ(num_made_, 3);
}

TEST_F(KeyTablesTest, GiveOneTableForEqualRowsOfAlikeQueries) {
  // Versions: each is a query of the table that the one before it made.
  KeyTables::TablePtr version = ask("SELECT 1 UNION ALL SELECT 2");
  for (int step = 0; step < 20; ++step) {
    version = ask("SELECT a FROM " + version->name() + " ORDER BY rowid");
  }
  EXPECT_EQ(num_made_, 3);  // the first, one of it, and one of that, which is equal
}

TEST_F(KeyTablesTest, KeepNoTablesOfQueriesWhoseRowsDiffer) {
  KeyTables::TablePtr version = ask("SELECT 1");
  std::string query;
  for (int step = 0; step < 20; ++step) {
    query = "SELECT a + 1 FROM " + version->name();
    version = ask(query);
  }
  EXPECT_EQ(num_made_, 21);
  EXPECT_EQ(tables_.find(query, {"a"}), nullptr);
}

TEST_F(KeyTablesTest, KnowNoMoreThanSomeThousandQueries) {
  for (int query = 0; query < 5000; ++query) {
    ask("SELECT " + std::to_string(query));
  }
  const int before = num_made_;
  ask("SELECT 0");
  EXPECT_EQ(num_made_, before + 1);
  ask("SELECT 4999");
  EXPECT_EQ(num_made_, before + 1);
}

TEST_F(KeyTablesTest, AskAgainForRandomNumbers) {
  EXPECT_NE(ask("SELECT random()"), ask("SELECT random()"));
}

TEST_F(KeyTablesTest, ReadTheNumbersOfAnyTable) {
  const KeyTables::TablePtr table = ask("SELECT 7 UNION ALL SELECT NULL");
  const KeyTables::Numbers numbers = tables_.numbers(table->name(), "a");
  EXPECT_EQ(*numbers, (std::vector<int64_t>{7, KeyTables::kNull}));
  EXPECT_EQ(tables_.numbers(table->name(), "a"), numbers);
  connection_.execute("CREATE TABLE other(a); INSERT INTO other VALUES (3)");
  EXPECT_EQ(*tables_.numbers("other", "a"), std::vector<int64_t>{3});
  connection_.execute("UPDATE other SET a = 4");
  EXPECT_EQ(*tables_.numbers("other", "a"), std::vector<int64_t>{4});
}

}  // namespace

}  // namespace tessera::sql::key_tables_test
