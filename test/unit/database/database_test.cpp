#include "database/database.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "store/memory_tensor.h"

namespace tessera::database::database_test {

namespace {

/// A directory that is gone with the test.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("tessera_database_{}", ::getpid())) {
    std::filesystem::remove_all(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string path() const { return path_.string(); }
  size_t num_tensors() const {
    const std::filesystem::directory_iterator files(path_ / "tensors");
    return static_cast<size_t>(std::distance(begin(files), end(files)));
  }

 private:
  std::filesystem::path path_;
};

Table vectors() {
  return {"t", {{"k", ScalarType::integer}, {"v", TensorType{DType::f64, {2}}}}};
}

/// Adds rows (first, first), (first + 1, …), … of two entries each.
void add(Database& database, const Column& column, double first, int64_t count) {
  store::MemoryTensor tensor({DType::f64, {count, 2}});
  for (int64_t entry = 0; entry < 2 * count; ++entry) {
    tensor.view().as<double>()[entry] = first + static_cast<double>(entry / 2);
  }
  NewRows rows = database.new_rows(tensor.type());
  rows.sink->write(tensor.view());
  database.add_rows(column, std::move(rows));
}

std::vector<double> read(const Database& database, const Column& column) {
  const auto source = database.open_tensor(column);
  store::MemoryTensor tensor(source->type());
  source->read(tensor.view());
  const auto* const data = tensor.view().as<double>();
  return {data, data + num_elements(tensor.type().shape)};
}

TEST(Database, KeepsRowsInFewFiles) {
  const Folder folder;
  Database database(folder.path(), 1);
  database.begin_to_write();
  Table table = vectors();
  database.catalog().add_table(table);
  for (int row = 0; row < 100; ++row) {
    add(database, table.columns[1], row, 1);
  }
  database.commit();
  const std::vector<double> all = read(database, table.columns[1]);
  ASSERT_EQ(all.size(), 200u);
  for (size_t entry = 0; entry < all.size(); ++entry) {
    EXPECT_EQ(all[entry], static_cast<double>(entry / 2));
  }
  EXPECT_LE(database.catalog().segments(table.columns[1].id).size(), 8u);
  EXPECT_THAT(database.faults(), testing::IsEmpty());
}

TEST(Database, GathersRowsOfSeveralFiles) {
  const Folder folder;
  Database database(folder.path(), 1);
  database.begin_to_write();
  Table table = vectors();
  database.catalog().add_table(table);
  for (const int64_t count :
       {20, 9, 4, 1}) {  // each less than the one before: none are put together
    add(database, table.columns[1], static_cast<double>(database.num_rows(table.columns[1])),
        count);
  }
  ASSERT_GT(database.catalog().segments(table.columns[1].id).size(), 2u);
  const auto rows = database.open_tensor(table.columns[1]);
  const std::vector<int64_t> wanted = {33, 0, 19, 20, 21, 5, 29, 28, 28, 32, 33, 1};
  const store::MemoryTensor gathered({DType::f64, {static_cast<int64_t>(wanted.size()), 2}});
  rows->gather(gathered.view(), 0, wanted);
  for (size_t place = 0; place < wanted.size(); ++place) {
    EXPECT_EQ(gathered.view().as<double>()[2 * place + 1], static_cast<double>(wanted[place]));
  }
  const store::MemoryTensor entries({DType::f64, {1, 3}});
  TileView of_row = entries.view();
  of_row.origin[0] = 29;
  rows->gather(of_row, 1, std::vector<int64_t>{1, 0, 1});
  EXPECT_EQ(entries.view().as<double>()[2], 29);
  database.roll_back();
}

TEST(Database, ForgetsWhatIsRolledBack) {
  const Folder folder;
  Database database(folder.path(), 1);
  database.begin_to_write();
  Table table = vectors();
  database.catalog().add_table(table);
  add(database, table.columns[1], 5, 3);
  database.commit();
  database.begin_to_write();
  add(database, table.columns[1], 50, 3);
  EXPECT_GT(folder.num_tensors(), 1u);
  database.roll_back();
  EXPECT_EQ(database.num_rows(table.columns[1]), 3);
  EXPECT_EQ(folder.num_tensors(), 1u);
}

TEST(Database, UndoesAStatementOfATransaction) {
  const Folder folder;
  Database database(folder.path(), 1);
  database.begin_to_write();
  Table table = vectors();
  database.catalog().add_table(table);
  add(database, table.columns[1], 5, 3);
  database.commit();
  database.begin_to_write();
  database.begin_statement();
  add(database, table.columns[1], 50, 4);  // one file with the rows that were there
  database.end_statement();
  database.begin_statement();
  add(database, table.columns[1], 60, 1);
  database.undo_statement();
  EXPECT_EQ(database.num_rows(table.columns[1]), 7);
  EXPECT_EQ(read(database, table.columns[1])[13], 53);
  database.roll_back();
  EXPECT_EQ(read(database, table.columns[1]), (std::vector<double>{5, 5, 6, 6, 7, 7}));
  EXPECT_EQ(folder.num_tensors(), 1u);
}

TEST(Database, KeepsWhatWasCommittedOnTheWay) {
  const Folder folder;
  Database database(folder.path(), 1);
  database.begin_to_write();
  Table table = vectors();
  database.catalog().add_table(table);
  add(database, table.columns[1], 5, 3);
  database.commit_and_go_on();
  EXPECT_THROW(Database(folder.path(), 1).begin_to_write(), Error);  // it is still this one's turn
  add(database, table.columns[1], 50, 3);
  database.roll_back();
  EXPECT_EQ(database.num_rows(table.columns[1]), 3);
  EXPECT_EQ(folder.num_tensors(), 1u);
}

TEST(Database, TellsContentsApart) {
  const Folder folder;
  Database database(folder.path(), 1);
  database.begin_to_write();
  const auto made = [&](double first) {
    database.connection().execute("CREATE TABLE t(k INTEGER, v INTEGER) STRICT");
    Table table = vectors();
    database.catalog().add_table(table);
    add(database, table.columns[1], first, 1);
    database.connection().execute("INSERT INTO t VALUES (1, 0)");
    return table;
  };
  const auto drop = [&] {
    database.connection().execute("DROP TABLE t");
    database.catalog().remove_table("t");
  };
  const std::string one = database.digest_of(made(5));
  database.connection().execute("UPDATE t SET k = 2");
  EXPECT_NE(database.digest_of(database.catalog().find_table("t").value()), one);
  drop();
  EXPECT_NE(database.digest_of(made(6)), one);
  drop();
  EXPECT_EQ(database.digest_of(made(5)), one);
  database.roll_back();
}

TEST(Database, HidesWhatStatementsKeep) {
  const Folder folder;
  Database database(folder.path(), 1);
  database.begin_to_write();
  Table table = vectors();
  database.catalog().add_table(table);
  Table kept = vectors();
  kept.name = std::string(kKeptTable) + "w[1]";
  database.catalog().add_table(kept);
  EXPECT_THAT(database.catalog().tables(), testing::ElementsAre("t"));
  EXPECT_THAT(database.catalog().kept_tables(), testing::ElementsAre(kept.name));
  database.roll_back();
}

TEST(Database, IsThereWhenItIsOpenedAgain) {
  const Folder folder;
  {
    Database database(folder.path(), 1);
    database.begin_to_write();
    Table table = vectors();
    database.catalog().add_table(table);
    add(database, table.columns[1], 7, 2);
    database.commit();
  }
  Database database(folder.path(), 1);
  const Table table = database.catalog().find_table("t").value();
  ASSERT_EQ(table.columns.size(), 2u);
  EXPECT_EQ(to_string(table.columns[0].type), "integer");
  EXPECT_EQ(to_string(table.columns[1].type), "vector[2]");
  EXPECT_THAT(read(database, table.columns[1]), testing::ElementsAre(7, 7, 8, 8));
}

TEST(Database, TellsWhoWrites) {
  const Folder folder;
  Database one(folder.path(), 1);
  Database other(folder.path(), 1);
  one.begin_to_write();
  try {
    other.begin_to_write();
    FAIL() << "two write at once";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resource);
    EXPECT_THAT(error.message(), testing::HasSubstr(fmt::format("process {}", ::getpid())));
  }
  one.commit();
  other.begin_to_write();
  other.commit();
}

TEST(Catalog, AddsUpWhatWasPipelined) {
  const Folder folder;
  Database database(folder.path(), 1);
  EXPECT_TRUE(database.catalog().pipelining().empty());
  database.begin_to_write();
  database.catalog().add_pipelining({"map", "select", 3, 1});
  database.catalog().add_pipelining({"map", "select", 2, 2});
  database.catalog().add_pipelining({"map", "map", 1, 0});
  database.commit();
  const std::vector<PipeliningCount> counts = database.catalog().pipelining();
  ASSERT_EQ(counts.size(), 2);
  const PipeliningCount& both = counts[counts[0].reader == "select" ? 0 : 1];
  EXPECT_EQ(both.seen, 5);
  EXPECT_EQ(both.pipelined, 3);
}

TEST(ColumnType, IsSpelledAsSqlHasIt) {
  EXPECT_EQ(to_string(ColumnType(TensorType{DType::f32, {10, std::nullopt}})), "matrix(f32)[10][]");
  EXPECT_EQ(to_string(ColumnType(TensorType{DType::f64, {2, 3, 4}})), "tensor[2][3][4]");
  EXPECT_EQ(element_type(TensorType{DType::f64, {std::nullopt}}), std::nullopt);
  EXPECT_EQ(parse_scalar_type("nothing"), std::nullopt);
}

TEST(Connection, TakesNoNameForAText) {
  const Folder folder;
  Database database(folder.path(), 1);
  EXPECT_THROW(database.connection().execute("SELECT \"nothing\""), Error);
}

/// A database with a table of two rows, the tensors of which are committed.
Table add_table_of_two(Database& database) {
  database.begin_to_write();
  Table table = vectors();
  database.connection().execute("CREATE TABLE t(k INTEGER, v INTEGER) STRICT");
  database.catalog().add_table(table);
  add(database, table.columns[1], 5, 2);
  database.connection().execute("INSERT INTO t VALUES (1, 0), (2, 1)");
  database.commit();
  return table;
}

TEST(Database, KeepsATransactionWhoseStatementsAreInterrupted) {
  const Folder folder;
  Database database(folder.path(), 1);
  const Table table = add_table_of_two(database);
  std::mt19937 draw(7);
  int64_t num_rows = 2;
  int num_interrupted = 0;
  database.begin_to_write();
  for (int statement = 0; statement < 30; ++statement) {
    std::atomic<bool> cancelled = false;
    database.connection().watch(&cancelled, Connection::Interrupts::reads);
    database.begin_statement();
    const auto delay = std::chrono::microseconds(draw() % 4000);
    std::jthread user([&cancelled, delay] {
      std::this_thread::sleep_for(delay);
      cancelled = true;
    });
    try {
      add(database, table.columns[1], 7, 1);
      database.connection().execute("CREATE TABLE temp.slow(x)");
      database.connection().fill("slow",
                                 "WITH RECURSIVE r(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM r "
                                 "WHERE x < 3000) SELECT x FROM r");
      database.connection().execute("INSERT INTO t SELECT x, NULL FROM temp.slow; DROP TABLE slow");
      database.connection().watch(nullptr);
      database.end_statement();
      num_rows += 3000;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::interrupted);
      database.connection().watch(nullptr);
      EXPECT_TRUE(database.undo_statement());
      ++num_interrupted;
    }
    ASSERT_EQ(database.connection().integer("SELECT count(*) FROM t"), num_rows);
  }
  EXPECT_GT(num_interrupted, 0);
  database.commit();
  EXPECT_EQ(Database(folder.path(), 1).connection().integer("SELECT count(*) FROM t"), num_rows);
  EXPECT_THAT(database.faults(), testing::IsEmpty());
}

TEST(Database, ForgetsATransactionThatAFullDiskEnded) {
  const Folder folder;
  Database database(folder.path(), 1);
  const Table table = add_table_of_two(database);
  Connection& connection = database.connection();
  const int64_t num_pages = connection.integer("PRAGMA page_count");
  database.begin_to_write();
  database.begin_statement();
  add(database, table.columns[1], 50, 1);
  connection.execute("UPDATE t SET k = 10");
  database.end_statement();
  connection.execute(fmt::format("PRAGMA max_page_count = {}", num_pages + 1));
  database.begin_statement();
  EXPECT_THROW(
      connection.execute("INSERT INTO t VALUES (3, 0); INSERT INTO t WITH RECURSIVE r(x) AS "
                         "(VALUES (1) UNION ALL SELECT x + 1 FROM r WHERE x < 100000) "
                         "SELECT x, 0 FROM r"),
      Error);
  EXPECT_FALSE(database.undo_statement());
  connection.execute("PRAGMA max_page_count = 1000000");
  EXPECT_EQ(connection.integer("SELECT sum(k) FROM t"), 3);
  EXPECT_EQ(folder.num_tensors(), 1u);
  // The next transaction is committed, and nothing removes its files.
  database.begin_to_write();
  add(database, table.columns[1], 60, 1);
  database.commit();
  database.roll_back();
  EXPECT_EQ(read(database, table.columns[1]), (std::vector<double>{5, 5, 6, 6, 60, 60}));
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string bytes_in(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string refusal_of(const std::string& directory) {
  try {
    const Database database(directory, 1);
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

TEST(Database, TouchesNoTensorsWithoutTheirCatalog) {
  const Folder folder;
  const std::filesystem::path path = folder.path();
  {
    Database database(folder.path(), 1);
    add_table_of_two(database);
  }
  const std::string catalog = bytes_in(path / "catalog.sqlite");
  const std::string tensors = bytes_in(path / "tensors/1.npy");
  std::filesystem::remove(path / "catalog.sqlite");
  EXPECT_THAT(refusal_of(folder.path()), testing::HasSubstr("tensors without a catalog"));
  write_file(path / "catalog.sqlite", "");
  EXPECT_THAT(refusal_of(folder.path()), testing::HasSubstr("is empty"));
  write_file(path / "catalog.sqlite", catalog.substr(0, 100));
  EXPECT_NE(refusal_of(folder.path()), "");
  std::filesystem::remove(path / "tensors/1.npy");
  std::filesystem::remove(path / "catalog.sqlite");
  EXPECT_THAT(refusal_of(folder.path()), testing::HasSubstr("is missing"));
  write_file(path / "tensors/1.npy", tensors);
  write_file(path / "catalog.sqlite", catalog);
  EXPECT_THAT(Database(folder.path(), 1).faults(), testing::IsEmpty());
}

TEST(Database, OverwritesNoFile) {
  const Folder folder;
  Database database(folder.path(), 1);
  const Table table = add_table_of_two(database);
  database.begin_to_write();
  write_file(folder.path() + "/tensors/2.npy", "of somebody");
  EXPECT_THROW(add(database, table.columns[1], 7, 1), Error);
  EXPECT_EQ(bytes_in(folder.path() + "/tensors/2.npy"), "of somebody");
  database.connection().execute("ROLLBACK");
}

TEST(Database, IsNotMadeAmongOtherFiles) {
  const Folder folder;
  std::filesystem::create_directories(folder.path());
  write_file(folder.path() + "/notes.txt", "mine");
  EXPECT_THAT(refusal_of(folder.path()), testing::HasSubstr("is no database: it holds notes.txt"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/tensors"));
  std::filesystem::remove(folder.path() + "/notes.txt");
  EXPECT_EQ(refusal_of(folder.path()), "");
}

/// While it lives, this process may not write a folder, also where it is root's.
class ReadOnly {
 public:
  explicit ReadOnly(const std::string& path) : path_(path) {
    set(std::filesystem::perms{0555});
    constexpr uid_t kNobody = 65534;
    is_nobody_ = user_ == 0 && ::seteuid(kNobody) == 0;
  }
  ~ReadOnly() {
    if (is_nobody_ && ::seteuid(user_) != 0) {
      std::abort();
    }
    set(std::filesystem::perms::owner_all);
  }
  ReadOnly(const ReadOnly&) = delete;
  ReadOnly& operator=(const ReadOnly&) = delete;

 private:
  void set(std::filesystem::perms permissions) const {
    std::filesystem::permissions(path_, permissions);
    std::filesystem::permissions(path_ + "/tensors", permissions);
  }

  std::string path_;
  uid_t user_ = ::geteuid();
  bool is_nobody_ = false;
};

TEST(Database, IsReadByWhoMayNotWriteIt) {
  const Folder folder;
  {
    Database database(folder.path(), 1);
    add_table_of_two(database);
  }
  const ReadOnly nobody_may_write(folder.path());
  Database database(folder.path(), 1);
  EXPECT_EQ(database.connection().integer("SELECT sum(k) FROM t"), 3);
  EXPECT_EQ(read(database, database.catalog().find_table("t").value().columns[1]),
            (std::vector<double>{5, 5, 6, 6}));
  EXPECT_THROW(database.begin_to_write(), Error);
  EXPECT_THAT(database.faults(), testing::IsEmpty());
}

TEST(Database, NamesEveryFlippedBitOfItsCatalog) {
  const Folder folder;
  const std::string path = folder.path() + "/catalog.sqlite";
  {
    Database database(folder.path(), 1);
    add_table_of_two(database);
  }
  const std::string bytes = bytes_in(path);
  std::mt19937 draw(11);
  for (int flip = 0; flip < 60; ++flip) {
    const size_t place = flip < 20 ? draw() % 100 : draw() % bytes.size();  // the header first
    std::string damaged = bytes;
    damaged[place] = static_cast<char>(damaged[place] ^ (1 << draw() % 8));
    write_file(path, damaged);
    try {
      const Database database(folder.path(), 1);
      EXPECT_THAT(database.faults(), testing::Not(testing::IsEmpty())) << "byte " << place;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::resource) << error.message();
    }
  }
  write_file(path, bytes);
  EXPECT_THAT(Database(folder.path(), 1).faults(), testing::IsEmpty());
}

}  // namespace

}  // namespace tessera::database::database_test
