#include "plan/verify.h"

#include <gtest/gtest.h>

#include "unit/plan/plan_text.h"

namespace tessera::plan::verify_test {
namespace {

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

}  // namespace
}  // namespace tessera::plan::verify_test
