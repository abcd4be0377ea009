#include "engine/forecast/memory_forecast.h"

#include <gtest/gtest.h>

#include "engine/session.h"

namespace tessera::engine::memory_forecast_test {
namespace {

/// X on one site; on another a copy of it and a copy of that, which is moved back.
constexpr const char* kTwoSpaces =
    "tasks\n"
    "m0 = space peak=64 smallest_budget=64\n"
    "m1 = space peak=128 smallest_budget=128\n"
    "s0 = site space=m0\n"
    "s1 = site space=m1\n"
    "source X : i64[8]\n"
    "sink Y : i64[8]\n"
    "t0 = tile X key=(0) last=%1 : i64[0:8]\n"
    "t1 = tile X key=(0) space=m1 last=%2 : i64[0:8]\n"
    "t2 = tile X key=(0) space=m1 last=%3 : i64[0:8]\n"
    "t3 = tile Y key=(0) last=%4 : i64[0:8]\n"
    "%0 = read_source X out=(t0) bytes=64\n"
    "%1 = move(t0) site=s1 out=(t1) bytes=64\n"
    "%2 = copy_box(t1) site=s1 out=(t2) bytes=64\n"
    "%3 = move(t2) out=(t3) bytes=64\n"
    "%4 = write_sink(t3) Y bytes=64\n";

TEST(MemoryForecast, IsOfTheSpaceThatHoldsMost) {
  Settings settings;
  settings.memory_bytes = 1024;
  settings.workers = 1;
  const Session session(settings);
  const Stages stages = session.plan(StageText{{"two.tasks", kTwoSpaces}}, {});
  const MemoryForecast forecast = forecast_memory(stages, session.setup());
  EXPECT_EQ(forecast.num_spaces, 2U);
  EXPECT_EQ(forecast.serial_bytes, 128);
  EXPECT_EQ(forecast.spilled_bytes, 0);
}

}  // namespace
}  // namespace tessera::engine::memory_forecast_test
