#include "plan/text.h"

#include <gtest/gtest.h>

#include "ir/ia/text.h"
#include "plan/to_tasks.h"
#include "plan/verify.h"
#include "unit/known.h"
#include "unit/plan/plan_text.h"

namespace tessera::plan::text_test {
namespace {

TEST(PlanText, IsReprintedAsItWas) {
  const TaskGraph graph = parse(kSound);
  EXPECT_EQ(to_text(describe(graph, aggregates())), kSound);
  EXPECT_EQ(*graph.tasks[2].origin, (Origin{"S", "s.ein", 1, 1}));
}

TEST(PlanText, KeepsAPlaceThatIsNotTheTiles) {
  TaskGraph graph = parse(kSound);
  Argument& moved = graph.tasks[5].inputs[0];
  moved = graph.part_of_tile(moved.tile, {graph.box_of(moved), {7}});
  const std::string text = to_text(describe(graph, aggregates()));
  EXPECT_NE(text.find("copy_box(t2[0:4]@[7])"), std::string::npos);
  EXPECT_EQ(parse(text), graph);
}

TEST(PlanText, ErrorsPointAtThePlace) {
  EXPECT_EQ(error_of(replaced(kSound, "read_source X out=(t0)", "read_source X out=(t9)")),
            "plan:9:25: error: there is no such tile before this\n"
            "  %0 = read_source X out=(t9) bytes=16\n"
            "                          ^^");
}

TEST(PlanText, LoweredPlansRoundTripAndAreSound) {
  const char* text =
      "ia sites=1\n"
      "%0 = input Q : (s:5/2,a:[0,1,6]) -> f32[s=5,a=6]\n"
      "%1 = input W : (a:[0,1,6],h:1x3) -> f32[a=6,h=3]\n"
      "%2 = local_join(%0, %1) on=(s,a; a,h) kernel={o[s,h] = sum[a] x0[s,a] * x1[a,h]}\n"
      "      : (s:5/2,h:1x3,a:[0,1,6]) -> f32[s=5,h=3]   # QH (attention.ein:5:1)\n"
      "%3 = local_aggregate(%2) keep=(s,h) by=sum:f32 : (s:5/2,h:1x3) -> f32[s=5,h=3]\n"
      "%4 = local_repartition(%3) : (s:5x1,h:1x3) -> f32[s=5,h=3]\n"
      "%5 = local_repartition(%4) : (s:1x5,h:1x3) -> f32[s=5,h=3]\n"
      "%6 = local_transform(%5) kernel={(o0,o1)[s] = argmax[h] (x0[s,h], index(h))}\n"
      "      : (s:1x5,h:1x3) -> (f32[s=5], i64[s=5])\n"
      "%7 = local_transform(%6) kernel={[s=5] (f32,i64) o[s] = x1[s]} : (s:1x5,h:1x3) -> i64[s=5]\n"
      "output(%3) Y\n"
      "output(%7) Z\n";
  const ia::Graph placed = ia::parse_graph({"ia", text}, functions(), aggregates());
  const TaskGraph graph = to_tasks(placed, known().context);
  EXPECT_EQ(verify(graph, functions()), std::vector<std::string>{});
  EXPECT_EQ(parse(to_text(describe(graph, aggregates()))), graph);
}

}  // namespace
}  // namespace tessera::plan::text_test
