#include "expr/reduction_order.h"

#include <map>

#include <gtest/gtest.h>

#include "unit/expr/registries.h"

namespace tessera::expr::reduction_order_test {

namespace {

TEST(MergesExactly, SaysWhichAggregatesRound) {
  const AggregateRegistry& aggregates = all_aggregates();
  const std::map<std::string, bool> of_floats = {
      {"all", true}, {"any", true},   {"argmax", true}, {"argmin", true}, {"logsumexp", false},
      {"max", true}, {"mean", false}, {"min", true},    {"prod", false},  {"sum", false}};
  for (const std::string& name : aggregates.names()) {
    ASSERT_TRUE(of_floats.count(name) == 1) << "say here whether " << name << " rounds";
    for (const DType element : {DType::f16, DType::f32, DType::f64}) {
      EXPECT_EQ(merges_exactly(aggregates.find(name)->bind(element).monoid, aggregates),
                of_floats.at(name))
          << name << " of " << name_of(element);
    }
  }
  EXPECT_FALSE(merges_exactly(aggregates.find("sum")->bind(DType::c64).monoid, aggregates));
}

TEST(MergesExactly, IntegersWrap) {
  const AggregateRegistry& aggregates = all_aggregates();
  for (const char* name : {"sum", "prod", "max", "argmin"}) {
    EXPECT_TRUE(merges_exactly(aggregates.find(name)->bind(DType::i32).monoid, aggregates)) << name;
  }
  EXPECT_FALSE(merges_exactly(aggregates.find("mean")->bind(DType::i32).monoid, aggregates));
}

TEST(MergesExactly, DoesNotTrustAUsersChoice) {
  const AggregateRegistry& aggregates = all_aggregates();
  Monoid first = aggregates.find("max")->bind(DType::f32).monoid;
  first.name = "first";
  EXPECT_FALSE(merges_exactly(first, aggregates));
  Monoid of_integers = aggregates.find("max")->bind(DType::i32).monoid;
  of_integers.name = "first";
  EXPECT_TRUE(merges_exactly(of_integers, aggregates));
}

TEST(LeafOf, TakesTheLongestLabelAndFillsTheLeaf) {
  const auto leaf = [](std::vector<LabelDecl> labels, const std::vector<LabelNumber>& over) {
    return leaf_of(labels, over);
  };
  EXPECT_EQ(leaf({{"i", 7}, {"k", 4000}}, {1}), (Leaf{1, 512}));
  EXPECT_EQ(leaf({{"k", 3}}, {0}), (Leaf{0, 512}));
  EXPECT_EQ(leaf({{"k", 0}}, {0}), (Leaf{0, 512}));
  EXPECT_EQ(leaf({{"k", 10}, {"l", 100}}, {0, 1}), (Leaf{1, 32}));
  EXPECT_EQ(leaf({{"k", 100}, {"l", 100}}, {0, 1}), (Leaf{0, 4}));
  EXPECT_EQ(leaf({{"k", 5000}, {"l", 4000}}, {0, 1}), (Leaf{0, 1}));
  EXPECT_EQ(leaf({{"k", int64_t{1} << 40}, {"l", int64_t{1} << 40}, {"m", 9}}, {2, 1, 0}),
            (Leaf{1, 1}));
}

TEST(ScanPiece, FollowsFromExtentsAndIsMadeOfWholeLeaves) {
  EXPECT_EQ(scan_piece(1'000'000, 1), 65536);
  EXPECT_EQ(scan_piece(1'000'000, 5), 32768);
  EXPECT_EQ(scan_piece(1'000'000, 64), 4096);
  EXPECT_EQ(scan_piece(1'000'000, int64_t{1} << 50), 4096);
  EXPECT_EQ(scan_piece(4000, 64), 4000);
  EXPECT_EQ(scan_piece(0, 0), 1);
}

}  // namespace

}  // namespace tessera::expr::reduction_order_test
