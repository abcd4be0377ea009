#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "database/database.h"
#include "database/sql_error.h"

namespace tessera::database::transactions_test {

namespace {

/// Two connections to a database in a folder that is gone with the test.
class TransactionsTest : public testing::Test {
 protected:
  TransactionsTest()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("tessera_transactions_{}", ::getpid())) {
    std::filesystem::remove_all(path_);
    one_.emplace(path_.string(), 1);
    other_.emplace(path_.string(), 1);
    add_a_row(*one_, "CREATE TABLE t(k INTEGER)");
  }
  ~TransactionsTest() override {
    one_.reset();
    other_.reset();
    std::filesystem::remove_all(path_);
  }

  static int64_t num_rows(Database& database) {
    return database.connection().integer("SELECT count(*) FROM t");
  }
  static void add_a_row(Database& database, const std::string& before = "") {
    database.begin_to_write();
    database.connection().execute(before + "; INSERT INTO t VALUES (1)");
    database.commit();
  }

  std::filesystem::path path_;
  std::optional<Database> one_;
  std::optional<Database> other_;
};

TEST_F(TransactionsTest, KeepNobodyFromWritingWhileTheyRead) {
  one_->begin();
  EXPECT_EQ(num_rows(*one_), 1);
  add_a_row(*other_);
  EXPECT_EQ(num_rows(*one_), 1);
  one_->commit();
  EXPECT_EQ(num_rows(*one_), 2);
}

TEST_F(TransactionsTest, GoOnToWrite) {
  one_->begin();
  EXPECT_EQ(num_rows(*one_), 1);
  EXPECT_FALSE(one_->is_writing());
  one_->go_on_to_write();
  EXPECT_TRUE(one_->is_writing());
  EXPECT_THROW(other_->begin_to_write(), Error);
  one_->connection().execute("INSERT INTO t VALUES (2)");
  one_->commit();
  EXPECT_FALSE(one_->is_writing());
  EXPECT_EQ(num_rows(*other_), 2);
}

TEST_F(TransactionsTest, AreRefusedToWriteOverWhatTheyHaveNotRead) {
  one_->begin();
  EXPECT_EQ(num_rows(*one_), 1);
  add_a_row(*other_);
  one_->begin_statement();
  try {
    one_->go_on_to_write();
    FAIL() << "it writes over a state that it has not read";
  } catch (const SqlError& error) {
    EXPECT_EQ(code_of(error.state()), "40001");
  }
  EXPECT_TRUE(one_->undo_statement());
  EXPECT_FALSE(one_->is_writing());
  EXPECT_EQ(num_rows(*one_), 1);
  add_a_row(*other_);  // nothing is kept from it
  one_->roll_back();
  EXPECT_EQ(num_rows(*one_), 3);
}

}  // namespace

}  // namespace tessera::database::transactions_test
