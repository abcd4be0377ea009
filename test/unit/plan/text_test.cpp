#include "plan/text.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "ir/ia/text.h"
#include "plan/to_tasks.h"
#include "plan/verify.h"
#include "unit/known.h"

namespace tessera::plan {
namespace {

const expr::FunctionRegistry& functions() {
  static const expr::FunctionRegistry registry = [] {
    expr::FunctionRegistry all;
    register_all_functions(all);
    return all;
  }();
  return registry;
}

const expr::AggregateRegistry& aggregates() {
  static const expr::AggregateRegistry registry = [] {
    expr::AggregateRegistry all;
    register_all_aggregates(all);
    return all;
  }();
  return registry;
}

constexpr const char* kPlan =
    "tasks peak=192 smallest_budget=128\n"
    "p0 = program {[i=4,j=2] (f32) o[i] = sum[j] x0[i,j]}\n"
    "source X : f32[4,2]\n"
    "sink Y : f32[4]\n"
    "t0 = tile X key=(0,0) last=%3 : f32[0:4,0:1]\n"
    "t1 = tile X key=(0,1) last=%4 : f32[0:4,1:2]\n"
    "t2 = tile S key=(0) column=1 last=%5 : f32[0:4]\n"
    "t3 = tile \"odd name\" key=() last=%6 : f32[0:4]\n"
    "%0 = read_source X out=(t0) bytes=16\n"
    "%1 = read_source X out=(t1) bytes=16 seconds=1e-09\n"
    "%2 = compute(t0) out=(t2) program=p0 kernel=reference ranges=(0:4,0:1) flops=4   # S "
    "(s.ein:1:1)\n"
    "%3 = compute(t0) out=(t2) program=p0 kernel=reference ranges=(0:4,0:1) accumulate=yes\n"
    "%4 = compute(t1) out=(t2) program=p0 kernel=reference ranges=(0:4,1:2) accumulate=yes\n"
    "%5 = copy_box(t2) out=(t3)\n"
    "%6 = write_sink(t3[0:2]) Y\n"
    "%7 = write_sink(t3[2:4]) Y\n";

TaskGraph parse(const std::string& text) {
  return parse_graph({"plan", text}, functions(), aggregates());
}

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

const std::string kSound = replaced(kPlan, "last=%6", "last=%7");

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

TEST(PlanVerify, NamesWhatIsWrong) {
  const auto problem = [](const std::string& from, const std::string& to) {
    const std::string message = error_of(replaced(kSound, from, to));
    return message.substr(message.find("\n  ") + 3);
  };
  EXPECT_EQ(problem("t0 = tile X key=(0,0) last=%3", "t0 = tile X key=(0,0) last=%2"),
            "tile t0: its last use is task %3, not %2");
  EXPECT_EQ(problem("%2 = compute(t0) out=(t2) program=p0 kernel=reference ranges=(0:4,0:1)",
                    "%2 = compute(t0) out=(t2) program=p0 kernel=reference ranges=(0:4,0:1) "
                    "accumulate=yes"),
            "task %2 (S): it uses t2 before 4 of its elements are written");
  EXPECT_EQ(problem("ranges=(0:4,1:2)", "ranges=(0:4,0:2)"),
            "task %4 (): mode 1 of input 0 lies from 1 to 1, but is read from 0 to 1");
  EXPECT_EQ(problem("ranges=(0:4,1:2)", "ranges=(0:4,1:3)"),
            "task %4 (): label j has 2 elements but runs from 1 over 2");
  EXPECT_EQ(problem("t3[2:4]", "t3[2:3]"), "sink Y: 1 of its elements are not written");
  EXPECT_EQ(problem("t3[2:4]", "t3[2:5]"),
            "task %7 (): its part of t3 lies outside it\n"
            "  sink Y: 2 of its elements are not written");
  EXPECT_EQ(problem("t3[2:4]", "t3[0:2]"),
            "task %7 (): it writes a box of Y again\n"
            "  sink Y: 2 of its elements are not written");
  EXPECT_EQ(problem("program=p0", "program=p7"), "task %2 (S): there is no program p7");
  EXPECT_EQ(problem("sink Y : f32[4]", "sink Y : f64[4]").substr(0, 47),
            "task %6 (): its box does not fit sink Y : f64[4");
}

TEST(PlanVerify, TilesAreFilledWholeFromTheirSource) {
  const auto finds = [](const std::string& text, const std::string& problem) {
    return error_of(text).find(problem) != std::string::npos;
  };
  EXPECT_TRUE(finds(replaced(kSound, "X out=(t0)", "X out=(t0[0:2;0:1])"), "in its place"));
  EXPECT_TRUE(finds(replaced(kSound, "X out=(t0)", "X out=(t0[0:4;0:1]@[9;0])"), "in its place"));
  EXPECT_TRUE(finds(replaced(kSound, "out=(t2) program", "out=(t2[0:2]) program"),
                    "kernels make whole ones"));
  const std::string stated = "source X : f32[4,2]\n";
  EXPECT_TRUE(finds(replaced(kSound, stated, "source X : f32[4,1]\n"),
                    "its tile f32[0:4,1:2] does not fit source X : f32[4,1]"));
  EXPECT_TRUE(finds(replaced(kSound, stated, "source X : f64[4,2]\n"),
                    "its tile f32[0:4,0:1] does not fit source X : f64[4,2]"));
  EXPECT_TRUE(finds(replaced(kSound, stated, "source X : f32[4]\n"), "does not fit source X"));
  EXPECT_TRUE(finds(replaced(kSound, stated, stated + stated), "source X stands twice"));
  EXPECT_TRUE(finds(replaced(kSound, stated, ""),
                    "there is no source X: a line says its type, as source X : f32[4,1]"));
  EXPECT_TRUE(
      finds(replaced(kSound, "source X : f32[4,2]", "source X"), "a source needs its type"));
  EXPECT_FALSE(finds(replaced(kSound, stated, "source X : f32[40,20]\n"), "source"));
}

TEST(PlanVerify, ATileMayBeUpdatedInPlaceElementByElement) {
  const std::string plan =
      "tasks peak=128 smallest_budget=128\n"
      "p0 = program {[i=4] (f32,f32) o[i] = x0[i] + x1[i]}\n"
      "source X : f32[4]\n"
      "sink Y : f32[4]\n"
      "t0 = tile X key=(0) last=%2 : f32[0:4]\n"
      "t1 = tile X key=(1) last=%3 : f32[0:4]\n"
      "%0 = read_source X out=(t0)\n"
      "%1 = read_source X out=(t1)\n"
      "%2 = compute(t0, t1) out=(t1) program=p0 kernel=reference ranges=(0:4)\n"
      "%3 = write_sink(t1) Y\n";
  EXPECT_EQ(error_of(plan), "");
  const std::string mirrored = replaced(plan, "x0[i] + x1[i]", "x0[i] + x1[-i + 3]");
  EXPECT_NE(error_of(mirrored).find("writes t1 again"), std::string::npos) << error_of(mirrored);
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
}  // namespace tessera::plan
