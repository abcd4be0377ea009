#include "runtime/prepared_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "drawn_plan.h"
#include "plan/text.h"
#include "unit/io/thrown_error.h"

namespace tessera::runtime::prepared_kernels_test {
namespace {

using testing::HasSubstr;

/// Two equal calls of the reference kernel, the second with a workspace of its own.
plan::TaskGraph plan_with_workspace(const Registries& known, const std::string& second,
                                    const std::string& peak) {
  const std::string text =
      "tasks peak=" + peak + " smallest_budget=" + peak +
      "\n"
      "p0 = program {[i=8] (i64,i64) o[i] = x0[i] + x1[i]}\n"
      "source X : i64[8]\n"
      "sink Y : i64[8]\n"
      "t0 = tile X key=(0) last=%2 : i64[0:8]\n"
      "t1 = tile T key=(0) last=%2 : i64[0:8]\n"
      "t2 = tile Y key=(0) last=%3 : i64[0:8]\n"
      "%0 = read_source X out=(t0) bytes=64\n"
      "%1 = compute(t0, t0) out=(t1) program=p0 kernel=reference ranges=(0:8) workspace=512\n"
      "%2 = compute(t1, t0) out=(t2) program=p0 kernel=reference ranges=(0:8) workspace=" +
      second +
      "\n"
      "%3 = write_sink(t2) Y bytes=64\n";
  return plan::parse_graph({"plan.tasks", text}, known.functions, known.aggregates);
}

TEST(PreparedKernels, EveryTaskMustHaveTheWorkspaceOfItsKernel) {
  const Registries known;
  EXPECT_NO_THROW(PreparedKernels(plan_with_workspace(known, "512", "704"), known.context));
  EXPECT_THAT(thrown_error([&] {
                PreparedKernels(plan_with_workspace(known, "64", "640"), known.context);
              }).message(),
              HasSubstr("a workspace of 64 bytes, but kernel reference needs"));
}

}  // namespace
}  // namespace tessera::runtime::prepared_kernels_test
