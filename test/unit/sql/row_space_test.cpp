#include "sql/row_space.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/session.h"

namespace tessera::sql::row_space_test {

namespace {

/// A table of keys in memory: columns of numbers, row by row.
class RowSpaceTest : public testing::Test {
 protected:
  RowSpaceTest()
      : connection_(":memory:", database::Connection::Access::write),
        session_(engine::Settings()),
        program_(session_, {}, learned_) {}

  void make(const std::string& columns, const std::string& values) {
    connection_.execute("CREATE TABLE k(" + columns + "); INSERT INTO k VALUES " + values);
  }

  database::Connection connection_;
  KeyTables tables_{connection_};
  engine::Session session_;
  Learned learned_{session_};
  TensorProgram program_;
};

TEST_F(RowSpaceTest, FindsGrids) {
  make("a, b", "(0, 'x'), (0, 'y'), (0, 'z'), (5, 'x'), (5, 'y'), (5, 'z')");
  EXPECT_EQ(grid_of(connection_, "k", {"a", "b"}), (Shape{2, 3}));
  EXPECT_EQ(grid_of(connection_, "k", {"a"}), std::nullopt);
  EXPECT_EQ(grid_of(connection_, "k", {}), std::nullopt);
}

TEST_F(RowSpaceTest, FindsNoGridWhereOneIsMissingOrTwice) {
  make("a, b", "(0, 0), (0, 1), (1, 0), (1, 0)");
  EXPECT_EQ(grid_of(connection_, "k", {"a", "b"}), std::nullopt);
  connection_.execute("DELETE FROM k WHERE rowid = 4");
  EXPECT_EQ(grid_of(connection_, "k", {"a", "b"}), std::nullopt);
}

TEST_F(RowSpaceTest, CountsDigitsInAnyOrder) {
  make("r, s, u", "(0, 0, 0), (1, 2, 0), (2, 4, 1), (3, 1, 1), (4, 3, 2), (5, 5, 2)");
  RowSpace space(tables_, "k", program_, {2, 3});
  EXPECT_EQ(space.digits_of("r", 6)->modes, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(space.digits_of("s", 6)->modes, (std::vector<size_t>{1, 0}));
  EXPECT_EQ(space.digits_of("s", 6)->extents, (Shape{3, 2}));
  EXPECT_FALSE(space.digits_of("u", 3).has_value());
  EXPECT_FALSE(space.digits_of("r", 7).has_value());  // not all of the tensor
}

TEST_F(RowSpaceTest, ReadsByLabelsOrByNumbers) {
  make("r, u", "(0, 1), (1, 1), (2, 0)");
  RowSpace space(tables_, "k", program_, {3});
  const TensorRows tensor{"T", {3}, {DType::f64, {}}};
  const Label row{3, 0};
  EXPECT_EQ(space.read(tensor, "r", {row}, {}), program::read("T", {row}));
  const Label mode{2, 0};
  const program::Expression read = space.read(tensor, "u", {row}, {mode});
  const auto& node = std::get<program::ReadNode>(read.node().of);
  EXPECT_EQ(node.tensor, "T");
  ASSERT_EQ(node.indices.size(), 2);
  EXPECT_FALSE(label_of(node.indices[0]).has_value());  // numbers
  EXPECT_EQ(label_of(node.indices[1]), mode);
}

TEST_F(RowSpaceTest, LeavesOutNulls) {
  make("r, s", "(0, 0), (NULL, 1), (2, 2)");
  RowSpace space(tables_, "k", program_, {3});
  EXPECT_FALSE(space.leave_out_nulls({"s"}));
  EXPECT_TRUE(space.leave_out_nulls({"s", "r"}));
  ASSERT_EQ(space.rows().size(), 2);
  EXPECT_EQ(space.rows().row_at(0), 0);
  EXPECT_EQ(space.rows().row_at(1), 2);
  EXPECT_EQ(space.rows().place_of(1), std::nullopt);
  EXPECT_EQ(space.rows().place_of(2), 1);
  EXPECT_EQ(space.grid(), (Shape{2}));
}

}  // namespace

}  // namespace tessera::sql::row_space_test
