#include "optimizer/lowering/to_ia.h"

#include <gtest/gtest.h>

#include "ir/ia/text.h"
#include "ir/ia/verify.h"
#include "ir/tra/text.h"
#include "unit/expr/registries.h"

namespace tessera::optimizer::to_ia_test {
namespace {

/// The placed graph of a text of relations, verified.
ia::Graph placed(const std::string& nodes, int64_t num_sites) {
  const tra::Graph relations = tra::parse_graph({"plan.tra", "tra\n" + nodes},
                                                expr::all_functions(), expr::all_aggregates());
  ia::Graph graph = to_ia(relations, num_sites);
  EXPECT_EQ(verify(graph, expr::all_functions()), std::vector<std::string>{});
  return graph;
}

/// Its operators and placements: "bcast everywhere".
std::vector<std::string> steps(const std::string& nodes, int64_t num_sites) {
  const ir::Document document = describe(placed(nodes, num_sites), expr::all_aggregates());
  std::vector<std::string> lines;
  for (const ir::Description& line : document.nodes) {
    const ir::Field* at = line.find("at");
    if (line.op != "output") {
      lines.push_back(line.op + (at == nullptr ? "" : " " + at->text));
    }
  }
  return lines;
}

using Steps = std::vector<std::string>;

const std::string kProduct =
    "%0 = input A : (i:3x2,k:2x3) -> f64[i=6,k=6]\n"
    "%1 = input B : (k:2x3,j:3x1) -> f64[k=6,j=3]\n"
    "%2 = join(%0, %1) on=(i,k; k,j) kernel={o[i,j] = sum[k] x0[i,k] * x1[k,j]}"
    " : (i:3x2,j:3x1,k:2x3) -> f64[i=6,j=3]\n"
    "%3 = aggregate(%2) keep=(i,j) by=sum:f64\n"
    "output(%3) C\n";

TEST(ToIa, OneSiteMovesNothing) {
  EXPECT_EQ(steps(kProduct, 1), (Steps{"input", "input", "local_join", "local_aggregate"}));
}

TEST(ToIa, AJoinBroadcastsAllButItsLargestInputAndAnAggregateShuffles) {
  EXPECT_EQ(steps(kProduct, 4),
            (Steps{"input (2*i+k)", "input (3*k+j)", "bcast everywhere", "local_join (2*i+k)",
                   "shuf (3*i+j)", "local_aggregate (3*i+j)"}));
}

TEST(ToIa, InputsThatLieAlikeAreJoinedWhereTheyLie) {
  EXPECT_EQ(steps("%0 = input A : (i:3x2,k:1x3) -> f64[i=6,k=3]\n"
                  "%1 = input B : (i:3x2) -> f64[i=6]\n"
                  "%2 = join(%0, %1) on=(i,k; i) kernel={o[i,k] = x0[i,k] * x1[i]}"
                  " : (i:3x2,k:1x3) -> f64[i=6,k=3]\n"
                  "%3 = aggregate(%2) keep=(i) by=sum:f64\n"
                  "output(%3) C\n",
                  2),
            (Steps{"input (i)", "input (i)", "local_join (i)", "local_aggregate (i)"}));
}

TEST(ToIa, PiecesOfACutLieWhereTheTileLay) {
  const std::string nodes =
      "%0 = input A : (i:3x4) -> f64[i=12]\n"
      "%1 = repartition(%0) : (i:6x2) -> f64[i=12]\n"
      "%2 = input B : (i:6x2) -> f64[i=12]\n"
      "%3 = join(%1, %2) on=(i; i) kernel={o[i] = x0[i] * x1[i]} : (i:6x2) -> f64[i=12]\n"
      "output(%3) C\n";
  EXPECT_EQ(steps(nodes, 2), (Steps{"input (i)", "local_repartition (i/2)", "input (i)",
                                    "bcast everywhere", "local_join (i/2)"}));
  const std::string ragged =
      "%0 = input A : (i:[0,1,6]) -> f64[i=6]\n"
      "%1 = repartition(%0) : (i:[0,1,4,6]) -> f64[i=6]\n"
      "output(%1) C\n";
  EXPECT_EQ(steps(ragged, 2), (Steps{"input (i)", "local_repartition [0,1,1]"}));
}

TEST(ToIa, ARepartitionShufflesBoxesToTheTilesTheyBecomePartOf) {
  EXPECT_EQ(
      steps("%0 = input A : (i:3x4) -> f64[i=12]\n"
            "%1 = repartition(%0) : (i:2x6) -> f64[i=12]\n"
            "output(%1) C\n",
            2),
      (Steps{"input (i)", "local_repartition [0,1,1,0]", "shuf (i/2)", "local_repartition (i)"}));
}

TEST(ToIa, ARekeyLeavesTuplesWhereTheyLay) {
  const std::string rekeyed =
      "%0 = input A : (i:2x2,j:3x2) -> f64[i=4,j=6]\n"
      "%1 = rekey(%0) key=(j=j,i=i)\n"
      "%2 = rekey(%1) key=(n=2*j+i)\n"
      "output(%2) C\n";
  EXPECT_EQ(steps(rekeyed, 4),
            (Steps{"input (3*i+j)", "local_rekey (j+3*i)", "local_rekey [0,3,1,0,2,1]"}));
}

TEST(ToIa, TuplesThatGetOneKeyAreBroughtTogetherFirst) {
  EXPECT_EQ(steps("%0 = input A : (i:2x2,j:3x2) -> f64[i=4,j=6]\n"
                  "%1 = filter(%0) where={index(i) == 1}\n"
                  "%2 = rekey(%1) key=(j=j)\n"
                  "output(%2) C\n",
                  4),
            (Steps{"input (3*i+j)", "local_filter (3*i+j)", "shuf [0,1,2,0,1,2]",
                   "local_rekey [0,1,2]"}));
}

}  // namespace
}  // namespace tessera::optimizer::to_ia_test
