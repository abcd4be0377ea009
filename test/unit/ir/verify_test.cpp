#include "ir/einsum/verify.h"

#include <gtest/gtest.h>

#include "ir/ia/verify.h"
#include "ir/tra/verify.h"
#include "unit/ir/graph_text.h"

namespace tessera::verify_test {
namespace {

TEST(EinsumVerify, FindsEveryProblem) {
  einsum::Graph graph = parse_einsum(kEinsum);
  EXPECT_EQ(verify(graph, expr::all_functions()), std::vector<std::string>{});
  graph.vertices[3].name = "Q";
  graph.vertices[4].operands = {einsum::VertexId(4)};
  graph.outputs.push_back({"Y", einsum::VertexId(99)});
  EXPECT_EQ(verify(graph, expr::all_functions()),
            (std::vector<std::string>{"vertex %3 (Q): an earlier vertex has that name",
                                      "vertex %4 (M): it reads vertex %4, which is not before it",
                                      "output Y: there is no vertex %99",
                                      "output 'Y' has no name of its own"}));
}

TEST(EinsumVerify, AGuardStandsAtTheRootOfWhatAnAggregateTakes) {
  const auto problem = [](const std::string& statement) {
    return error_of(parse_einsum, "einsum\n%0 = input A : f32[i=4]\n%1 = einsum(%0) {" + statement +
                                      "} : f32[]\noutput(%1) Y\n");
  };
  EXPECT_NE(problem("Y[] = sum[i] 2 * only(A[i] > 0, A[i])").find("only() stands anywhere but"),
            std::string::npos);
  EXPECT_EQ(problem("Y[] = sum[i] only(A[i] > 0, A[i])"), "");
}

TEST(TraVerify, AnInputIsOneTensor) {
  const auto finds = [](auto parse, const std::string& text, const std::string& problem) {
    return error_of(parse, text).find(problem) != std::string::npos;
  };
  EXPECT_TRUE(finds(parse_tra,
                    "tra\n%0 = input A : () -> f32[i=4]\n%1 = input A : () -> f32[i=4,j=2]\n",
                    "input A is read as two different tensors"));
  EXPECT_TRUE(finds(parse_ia,
                    "ia sites=1\n%0 = input A : () -> f32[i=4]\n"
                    "%1 = input A : () -> f64[i=4]\n",
                    "input A is read as two different tensors"));
  EXPECT_TRUE(finds(parse_tra, "tra\n%0 = input A : () -> ()\n", "input A has 0 arrays, not one"));
}

TEST(TraVerify, AKeyDimensionHasAsManyKeysAsAPlanCanName) {
  for (const char* key : {"a:9223372036854775807 bare", "i:4x1,a:99999999 bare"}) {
    EXPECT_NE(error_of(parse_tra, std::string("tra\n%0 = input A : (") + key + ") -> f32[i=4]\n")
                  .find("key label a has more than 16777216 keys"),
              std::string::npos)
        << key;
  }
}

TEST(IaVerify, WantsTuplesToJoinOnOneSite) {
  ia::Graph graph = parse_ia(kIa);
  auto& join = std::get<tra::Join>(std::get<ia::LocalOp>(graph.nodes[3].op).op);
  join.inputs[1] = ia::NodeId(1);
  EXPECT_EQ(verify(graph, expr::all_functions()),
            std::vector<std::string>{"node %3 (QH): tuples to join are apart: for key "
                                     "(s=1,h=0,a=0) on sites 2 and 0"});
  graph.num_sites = 0;
  EXPECT_EQ(verify(graph, expr::all_functions()), std::vector<std::string>{"there are 0 sites"});
}

TEST(IaVerify, OnOneSiteAllLiesEverywhere) {
  ia::Graph graph = parse_ia("ia sites=1\n%0 = input Q : (s:2x64) -> f32[s=128]\noutput(%0) Y\n");
  EXPECT_EQ(graph.nodes[0].placement, ia::Placement(ia::Everywhere{}));
  graph.nodes[0].placement = ia::ByMap{};
  EXPECT_EQ(verify(graph, expr::all_functions()),
            std::vector<std::string>{
                "node %0 (): its placement is not everywhere, as all is on one site"});
}

}  // namespace
}  // namespace tessera::verify_test
