#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "ir/tra/infer.h"

namespace tessera::tra::tra_infer_test {
namespace {

using testing::HasSubstr;

/// X of the TRA paper's example: 4 x 4 in tiles of 2 x 2.
Graph tiled_matrix() {
  Graph graph;
  graph.nodes.push_back({Input{"A"},
                         {{DenseDim{"i", cut_every(4, 2)}, DenseDim{"j", cut_every(4, 2)}},
                          {{DType::f64, {{"i", 4}, {"j", 4}}}}},
                         {}});
  return graph;
}

expr::Monoid sum_of_f64() {
  expr::ScalarBuilder builder;
  const int32_t left = builder.parameter(0, DType::f64);
  const int32_t right = builder.parameter(1, DType::f64);
  return {
      "sum", {DType::f64}, {builder.finish(builder.call("add", {left, right}, DType::f64))}, {0.0}};
}

TEST(TupleBytes, AreThoseOfOneOfItsArraysOrOfTheRowsExpected) {
  RelationType type = tiled_matrix().nodes[0].type;
  EXPECT_EQ(tuple_bytes(type), 2 * 2 * 8);
  type.key.push_back(BareDim{"n", 7});  // cuts no mode
  EXPECT_EQ(tuple_bytes(type), 2 * 2 * 8);
  type.rows = RowCount{5, 100};
  EXPECT_EQ(tuple_bytes(type), 5 * 2 * 2 * 8);
}

/// out[i,k] = sum over j of x0[i,j] * x1[j,k] on tiles of a 4 x 4 matrix.
expr::TileProgram matmul_kernel() {
  expr::ScalarBuilder builder;
  const int32_t left = builder.access({0, {expr::plain(0), expr::plain(1)}}, DType::f64);
  const int32_t right = builder.access({1, {expr::plain(1), expr::plain(2)}}, DType::f64);
  const expr::Scalar body = builder.finish(builder.call("multiply", {left, right}, DType::f64));
  return {{{"i", 4}, {"j", 4}, {"k", 4}}, 2, {{{0, 2}, {body}, expr::Reduce{sum_of_f64(), {1}}}}};
}

Join matmul() {
  Join join;
  join.inputs = {NodeId(0), NodeId(0)};
  join.match = {{"i", "j"}, {"j", "k"}};
  join.key = {DenseDim{"i", cut_every(4, 2)}, DenseDim{"j", cut_every(4, 2)},
              DenseDim{"k", cut_every(4, 2)}};
  join.kernel = matmul_kernel();
  return join;
}

std::string message_of(const Graph& graph, const Op& op) {
  try {
    infer_type(op, relations_of(graph));
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

RelationType type_over_matrix(const Op& op) {
  const Graph graph = tiled_matrix();
  return infer_type(op, relations_of(graph));
}

TEST(Infer, JoinKeepsEveryKeyAndTakesTheKernelsModes) {
  const RelationType type = type_over_matrix(matmul());
  ASSERT_EQ(type.key.size(), 3U);
  EXPECT_EQ(label_of(type.key[2]), "k");
  EXPECT_EQ(type.columns, (std::vector<Column>{{DType::f64, {{"i", 4}, {"k", 4}}}}));
}

TEST(Infer, JoinRefusesAnotherGridOnAJoinedLabel) {
  Join join = matmul();
  join.key[1] = DenseDim{"j", uncut(4)};
  EXPECT_THAT(message_of(tiled_matrix(), join),
              HasSubstr("label j is cut into 2 pieces in input 0 but into 1"));
}

TEST(Infer, JoinRefusesToDropALabelWithSeveralKeys) {
  Join join = matmul();
  join.key.erase(join.key.begin() + 1);
  EXPECT_THAT(message_of(tiled_matrix(), join),
              HasSubstr("label j of input 0 has 2 keys and must be in"));
}

TEST(Infer, JoinRefusesAKernelThatReadsACutModeByAnotherLabel) {
  Join join = matmul();
  join.match = {{"i", "j"}, {"k", "j"}};
  EXPECT_THAT(message_of(tiled_matrix(), join),
              HasSubstr("mode i is cut, so the kernel can read it only by the label k"));
}

/// A boundary, and a position that is data, are about the whole mode.
TEST(Infer, JoinRefusesToGatherFromOrReadOutsideACutMode) {
  const expr::Index outside[] = {expr::affine({{{0, 1}}, 0, 1, expr::Edge{}}),
                                 expr::GatheredIndex{0}};
  for (const expr::Index& index : outside) {
    expr::ScalarBuilder builder;
    builder.index_of(0);
    const int32_t read = builder.access({0, {index, expr::plain(1)}}, DType::f64);
    const expr::TileStatement copy{{0, 1}, {builder.finish(read)}};
    const Join join{{NodeId(0)},
                    {{"i", "j"}},
                    {DenseDim{"i", cut_every(4, 2)}, DenseDim{"j", cut_every(4, 2)}},
                    expr::TileProgram{{{"i", 4}, {"j", 4}}, 1, {copy}}};
    EXPECT_THAT(message_of(tiled_matrix(), join),
                HasSubstr("mode i is cut, so the kernel can read it only by the label i"));
  }
}

TEST(Infer, AggregateOverACutModeLeavesTilesOfAPiece) {
  const RelationType type = type_over_matrix(Aggregate{NodeId(0), {"j"}, sum_of_f64()});
  ASSERT_EQ(type.key.size(), 1U);
  EXPECT_EQ(type.columns[0].modes, (std::vector<Mode>{{"i", 2}, {"j", 4}}));
}

TEST(Infer, AggregateRefusesPiecesOfDifferentLength) {
  Graph graph = tiled_matrix();
  std::get<DenseDim>(graph.nodes[0].type.key[0]).grid = cut_every(4, 3);
  EXPECT_THAT(message_of(graph, Aggregate{NodeId(0), {"j"}, sum_of_f64()}),
              HasSubstr("the pieces of i differ in length"));
}

TEST(Infer, RekeyMakesComputedDimensionsBare) {
  const Rekey rekey{NodeId(0), {{"n", {{"i", 2}, {"j", 1}}, 0}}};
  const RelationType type = type_over_matrix(rekey);
  EXPECT_EQ(type.key, (std::vector<KeyDim>{BareDim{"n", 4}}));
  EXPECT_EQ(type.columns[0].modes, (std::vector<Mode>{{"i", 2}, {"j", 2}}));
}

TEST(Infer, RekeyKeepsDimensionsThatOnlyMove) {
  const Rekey swap{NodeId(0), {{"j", {{"j", 1}}, 0}, {"i", {{"i", 1}}, 0}}};
  const RelationType type = type_over_matrix(swap);
  EXPECT_EQ(label_of(type.key[0]), "j");
  EXPECT_TRUE(std::holds_alternative<DenseDim>(type.key[0]));
  EXPECT_EQ(type.columns[0].modes[0].extent, 4);
}

TEST(Infer, ConcatIsTheInverseOfTile) {
  Graph graph = tiled_matrix();
  const NodeId joined = append(graph, Concat{NodeId(0), "j"}, {});
  EXPECT_EQ(graph.at(joined).type.key.size(), 1U);
  const NodeId again = append(graph, Tile{joined, {"j", cut_every(4, 2)}}, {});
  EXPECT_EQ(graph.at(again).type, graph.at(NodeId(0)).type);
  EXPECT_THAT(message_of(graph, Tile{again, {"j", cut_every(4, 2)}}),
              HasSubstr("mode j is cut already"));
}

TEST(Infer, RepartitionKeepsLabelsAndExtents) {
  const std::vector<KeyDim> rows = {DenseDim{"i", cut_every(4, 1)}, DenseDim{"j", uncut(4)}};
  EXPECT_EQ(type_over_matrix(Repartition{NodeId(0), rows}).key, rows);
  const std::vector<KeyDim> other = {DenseDim{"i", uncut(5)}, DenseDim{"j", uncut(4)}};
  EXPECT_THAT(message_of(tiled_matrix(), Repartition{NodeId(0), other}),
              HasSubstr("key dimension i is not i cut otherwise"));
}

TEST(Infer, RefusesANodeThatIsNotThereYet) {
  EXPECT_THAT(message_of(tiled_matrix(), Concat{NodeId(7), "j"}), HasSubstr("no earlier node %7"));
}

}  // namespace
}  // namespace tessera::tra::tra_infer_test
