#include "optimizer/lowering/to_tra.h"

#include <tuple>

#include <gtest/gtest.h>

#include "optimizer/lowering/to_ia.h"
#include "unit/expr/registries.h"

namespace tessera::optimizer {
namespace {

using einsum::VertexId;

einsum::VertexId add_input(einsum::Graph& graph, const std::string& name,
                           std::vector<std::string> labels, Shape shape) {
  return graph.add(
      {einsum::Input{}, {}, name, {DType::f64, std::move(shape)}, std::move(labels), {}});
}

/// C[i,k] = sum[j] A[i,j] * B[j,k] with 4, 6 and 8.
einsum::Graph matmul() {
  einsum::Graph graph;
  const VertexId a = add_input(graph, "A", {"i", "j"}, {4, 6});
  const VertexId b = add_input(graph, "B", {"j", "k"}, {6, 8});
  expr::ScalarBuilder body;
  const int32_t left = body.access({0, {expr::plain(0), expr::plain(1)}}, DType::f64);
  const int32_t right = body.access({1, {expr::plain(1), expr::plain(2)}}, DType::f64);
  einsum::EinSum einsum{{{"i", 4}, {"j", 6}, {"k", 8}},
                        {0, 2},
                        {1},
                        "sum",
                        expr::all_aggregates().find("sum")->bind(DType::f64),
                        body.finish(body.call("multiply", {left, right}, DType::f64))};
  const VertexId c =
      graph.add({std::move(einsum), {a, b}, "C", {DType::f64, {4, 8}}, {"i", "k"}, {}});
  graph.outputs.push_back({"C", c});
  return graph;
}

/// The relations of a graph cut into pieces of these lengths by label.
tra::Graph relations_of(const einsum::Graph& graph, const std::map<std::string, int64_t>& lengths) {
  return to_tra(graph, partitioning_by_label(graph, lengths));
}

std::vector<std::string> ops_of(const tra::Graph& graph) {
  static const std::vector<std::string> names = {"input", "join",   "aggregate",
                                                 "rekey", "filter", "transform",
                                                 "tile",  "concat", "repartition"};
  std::vector<std::string> ops;
  for (const tra::Node& node : graph.nodes) {
    ops.push_back(names[node.op.index()]);
  }
  return ops;
}

TEST(ToTra, AnUncutProductIsOneJoin) {
  const tra::Graph graph = relations_of(matmul(), {});
  EXPECT_EQ(ops_of(graph), (std::vector<std::string>{"input", "input", "join"}));
  EXPECT_EQ(graph.nodes[2].type.key.size(), 2U);
}

TEST(ToTra, ACutSumIsAggregated) {
  const tra::Graph graph = relations_of(matmul(), {{"j", 4}, {"i", 3}});
  EXPECT_EQ(ops_of(graph), (std::vector<std::string>{"input", "input", "join", "aggregate"}));
  EXPECT_EQ(graph.nodes[2].type.key.size(), 3U);
  EXPECT_EQ(graph.nodes[3].type.key, (std::vector<tra::KeyDim>{tra::DenseDim{"i", cut_every(4, 3)},
                                                               tra::DenseDim{"k", uncut(8)}}));
}

TEST(ToTra, AnInputIsCutAsItsFirstReaderWants) {
  const tra::Graph graph = relations_of(matmul(), {{"k", 3}});
  EXPECT_EQ(graph.nodes[1].type.key[1], (tra::KeyDim{tra::DenseDim{"k", cut_every(8, 3)}}));
}

TEST(ToTra, ASecondReaderWithOtherCutsGetsARepartition) {
  einsum::Graph graph = matmul();
  expr::ScalarBuilder body;
  const int32_t read = body.access({0, {expr::plain(0), expr::plain(1)}}, DType::f64);
  einsum::EinSum copy{{{"x", 4}, {"y", 8}}, {1, 0}, {}, "", std::nullopt, body.finish(read)};
  const VertexId d =
      graph.add({std::move(copy), {VertexId(2)}, "D", {DType::f64, {8, 4}}, {"y", "x"}, {}});
  graph.outputs = {{"D", d}};
  const tra::Graph relations = relations_of(graph, {{"i", 2}, {"x", 3}});
  EXPECT_EQ(ops_of(relations),
            (std::vector<std::string>{"input", "input", "join", "repartition", "join"}));
  const ia::Graph placed = to_ia(relations, 1);
  ASSERT_EQ(placed.nodes.size(), 6U);  // the repartition is a cut into shared boxes and a paste
  EXPECT_TRUE(tra::refines(placed.nodes[3].type.key, placed.nodes[2].type.key));
  EXPECT_TRUE(tra::refines(placed.nodes[3].type.key, placed.nodes[4].type.key));
}

/// A[i,j] and then B[x,y] = A[x,y].
einsum::Graph read_twice() {
  einsum::Graph graph;
  const VertexId a = add_input(graph, "A", {"i", "j"}, {12, 12});
  for (const auto& [name, row, column] : {std::tuple{"B", "i", "j"}, {"C", "x", "y"}}) {
    expr::ScalarBuilder body;
    const int32_t read = body.access({0, {expr::plain(0), expr::plain(1)}}, DType::f64);
    einsum::EinSum copy{{{row, 12}, {column, 12}}, {0, 1}, {}, "", std::nullopt, body.finish(read)};
    const VertexId vertex =
        graph.add({std::move(copy), {a}, name, {DType::f64, {12, 12}}, {row, column}, {}});
    graph.outputs.push_back({name, vertex});
  }
  return graph;
}

TEST(ToTra, ASecondReaderOfAnInputReadsItAgain) {
  const tra::Graph graph = relations_of(read_twice(), {{"i", 4}, {"y", 4}});
  EXPECT_EQ(ops_of(graph), (std::vector<std::string>{"input", "join", "input", "join"}));
  EXPECT_EQ(graph.nodes[2].type.key[1], (tra::KeyDim{tra::DenseDim{"j", cut_every(12, 4)}}));
}

TEST(ToTra, FinerTilesOfAnInputAreViewsOfThoseThatWereRead) {
  const tra::Graph graph = relations_of(read_twice(), {{"i", 4}, {"x", 2}});
  EXPECT_EQ(ops_of(graph), (std::vector<std::string>{"input", "join", "repartition", "join"}));
}

TEST(ToTra, ADiagonalJoinsEqualKeys) {
  einsum::Graph graph;
  const VertexId a = add_input(graph, "A", {"i", "i"}, {4, 4});
  expr::ScalarBuilder body;
  const int32_t read = body.access({0, {expr::plain(0), expr::plain(0)}}, DType::f64);
  graph.add({einsum::EinSum{{{"i", 4}}, {0}, {}, "", std::nullopt, body.finish(read)},
             {a},
             "d",
             {DType::f64, {4}},
             {"i"},
             {}});
  const tra::Graph relations = relations_of(graph, {{"i", 2}});
  const auto& join = std::get<tra::Join>(relations.nodes[1].op);
  EXPECT_EQ(join.match, (std::vector<std::vector<std::string>>{{"i", "i"}}));
  EXPECT_EQ(tra::label_of(relations.nodes[0].type.key[1]), "i_2");
}

}  // namespace
}  // namespace tessera::optimizer
