#include "database/recent_rows.h"

#include <filesystem>
#include <iterator>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "database/database.h"
#include "store/memory_tensor.h"

namespace tessera::database::recent_rows_test {

namespace {

/// A database in a folder that is gone with the test, with a table of vectors.
class RecentRowsTest : public testing::Test {
 protected:
  RecentRowsTest()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("tessera_recent_rows_{}", ::getpid())) {
    std::filesystem::remove_all(path_);
    database_.emplace(path_.string(), 1);
    database_->begin_to_write();
    database_->catalog().add_table(table_);
    database_->commit();
  }
  ~RecentRowsTest() override {
    database_.reset();
    std::filesystem::remove_all(path_);
  }

  const Column& column() const { return table_.columns[0]; }
  Database& database() { return *database_; }

  size_t num_files() const {
    const std::filesystem::directory_iterator files(path_ / "tensors");
    return static_cast<size_t>(std::distance(begin(files), end(files)));
  }

  /// Adds rows whose numbers are counted on from the first.
  void add(double first, int64_t count) { database_->add_rows(column(), counted(first, count)); }
  void add_in_file(double first, int64_t count) {
    const store::MemoryTensor tensor = counted(first, count);
    NewRows rows = database_->new_rows(tensor.type());
    rows.sink->write(tensor.view());
    database_->add_rows(column(), std::move(rows));
  }
  void commit_rows(double first, int64_t count) {
    database_->begin_to_write();
    add(first, count);
    database_->commit();
  }

  std::vector<double> read(const Database& database) const {
    const auto source = database.open_tensor(column());
    const store::MemoryTensor tensor(source->type());
    source->read(tensor.view());
    const auto* const data = tensor.view().as<double>();
    return {data, data + num_elements(tensor.type().shape)};
  }
  std::vector<double> read() const { return read(*database_); }

  std::string path() const { return path_.string(); }

 private:
  static store::MemoryTensor counted(double first, int64_t count) {
    store::MemoryTensor tensor({DType::f64, {count, kExtent}});
    auto* const numbers = tensor.view().as<double>();
    std::iota(numbers, numbers + count * kExtent, first);
    return tensor;
  }

  static constexpr int64_t kExtent = 1;

  std::filesystem::path path_;
  std::optional<Database> database_;
  Table table_{"t", {{"v", TensorType{DType::f64, {kExtent}}}}};
};

std::vector<double> counted_to(size_t count) {
  std::vector<double> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  return numbers;
}

TEST_F(RecentRowsTest, MakeNoFile) {
  database().begin_to_write();
  for (int row = 0; row < 2000; ++row) {
    add(row, 1);
  }
  EXPECT_EQ(num_files(), 0u);
  EXPECT_EQ(read(), counted_to(2000));
  database().commit();
  EXPECT_EQ(num_files(), 0u);
  EXPECT_EQ(read(Database(path(), 1)), counted_to(2000));
  EXPECT_THAT(database().faults(), testing::IsEmpty());
}

TEST_F(RecentRowsTest, GoToOneFileWhenTheyAreMany) {
  constexpr int64_t kRows = 5000;  // 40,000 bytes
  constexpr int64_t kStatements = 40;
  database().begin_to_write();
  for (int64_t number = 0; number < kStatements; ++number) {
    add(static_cast<double>(number * kRows), kRows);
  }
  database().commit();
  EXPECT_EQ(num_files(), 1u);
  const std::optional<Segment> recent = database().catalog().recent_rows().segment(column().id);
  ASSERT_TRUE(recent);
  EXPECT_LE(recent->num_rows * 8, 1 << 20);
  EXPECT_EQ(database().num_rows(column()), kStatements * kRows);
  EXPECT_EQ(read(), counted_to(kStatements * kRows));
}

TEST_F(RecentRowsTest, ComeBeforeRowsOfAFileThatFollow) {
  database().begin_to_write();
  add(0, 3);
  add_in_file(3, 2);
  add(5, 2);
  database().commit();
  EXPECT_EQ(read(), counted_to(7));
}

TEST_F(RecentRowsTest, AreUndoneWithTheirStatement) {
  commit_rows(0, 2);
  database().begin_to_write();
  database().begin_statement();
  add(2, 1);
  database().end_statement();
  database().begin_statement();
  add(70, 1);
  EXPECT_EQ(read().back(), 70);
  EXPECT_TRUE(database().undo_statement());
  EXPECT_EQ(read(), counted_to(3));
  database().begin_statement();
  add(3, 1);  // under the number of the row that was undone
  database().end_statement();
  EXPECT_EQ(read(), counted_to(4));
  database().roll_back();
  EXPECT_EQ(read(), counted_to(2));
}

TEST_F(RecentRowsTest, AreUndoneWhenTheyWentToAFile) {
  commit_rows(0, 2);
  database().begin_to_write();
  add_in_file(2, 1);
  EXPECT_GT(num_files(), 0u);
  database().roll_back();
  EXPECT_EQ(num_files(), 0u);
  EXPECT_EQ(read(), counted_to(2));
}

TEST_F(RecentRowsTest, AreSeenByOthersWhenTheyAreCommitted) {
  const Database other(path(), 1);  // before there is a table of them
  const Database counting(path(), 1);
  EXPECT_EQ(read(other), counted_to(0));
  EXPECT_EQ(counting.num_rows(column()), 0);
  commit_rows(0, 1);
  EXPECT_EQ(counting.num_rows(column()), 1);
  EXPECT_EQ(read(other), counted_to(1));
  database().begin_to_write();
  add(1, 2);
  EXPECT_EQ(read(other), counted_to(1));
  database().commit();
  EXPECT_EQ(read(other), counted_to(3));
}

TEST_F(RecentRowsTest, AreComparedWithTheirChecksums) {
  commit_rows(0, 3);
  database().connection().execute("UPDATE tessera_recent_rows SET bytes = zeroblob(24)");
  Database other(path(), 1);
  try {
    read(other);
    FAIL() << "damaged rows are read";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resource);
  }
  other.connection().execute("CREATE TABLE t(v INTEGER)");
  EXPECT_THAT(other.faults(), testing::ElementsAre(testing::HasSubstr("t.v: catalog.sqlite")));
}

TEST_F(RecentRowsTest, GoWithTheirTable) {
  commit_rows(0, 3);
  database().begin_to_write();
  database().catalog().remove_table("t");
  database().commit();
  EXPECT_EQ(database().connection().integer("SELECT count(*) FROM tessera_recent_rows"), 0);
}

TEST_F(RecentRowsTest, AreRefusedByProgramsThatDoNotKnowThem) {
  const auto format = [&] {
    return database().connection().integer(
        "SELECT value FROM tessera_settings WHERE name = 'format'");
  };
  EXPECT_EQ(format(), 4);
  commit_rows(0, 1);
  EXPECT_EQ(format(), 5);
}

TEST_F(RecentRowsTest, LeaveNoFileBehindThatWasPutIntoAnother) {
  database().begin_to_write();
  for (int row = 0; row < 100; ++row) {
    add_in_file(row, 1);
  }
  database().commit();
  EXPECT_EQ(num_files(), database().catalog().segments(column().id).size());
  EXPECT_EQ(read(), counted_to(100));
}

}  // namespace

}  // namespace tessera::database::recent_rows_test
