#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "kernels/choice.h"
#include "unit/drawn.h"
#include "unit/io/scratch_directory.h"
#include "unit/kernels/kernel_runner.h"

/// A kernel asks a run for no more than its plan says, whatever was run or made between the two.
namespace tessera::kernels::planned_workspace_test {

namespace {

using generated::Generating;
using generated::Generator;

/// Statements that kernels run by other kernels, over labels of the lengths that follow.
const char* const kPrograms[] = {
    "(f64) o[n] = scan sum[n] x0[n] * (x0[n] * 0.1 + 2) * x0[n]",
    "(f64) t0[n,i] = scan max[n] x0[n,i] * (x0[n,i] * 0.1 + 2); o[n,i] = (t0[n,i] - x0[n,i]) * 0.5",
    "(f64) o[n,i] = x0[n+1 pad 0,i] * x0[n,i] + 2",
    "(f32) o[n,i] = (x0[n-1 edge,i] - x0[n,i]) * 0.5 + x0[n+2 reflect,i] * x0[n,i]",
    "(f64,i64) o[n,i] = (x0[x1[n],i] - x0[n,i]) * x0[n,i] + 2",
    "(f32) t0[n] = max[i] x0[n,i]; t1[n,i] = (x0[n,i] - t0[n]) * 0.5 + 1; t2[n] = sum[i] t1[n,i]; "
    "o[n,i] = t1[n,i] / t2[n]",
    "(f64,f64) t0[n] = sum[i] x0[n,i] * x0[n,i]; t1[i] = sum[n] x1[n,i] * (x1[n,i] - 2); o[] = "
    "sum[n,i] where(t0[n] < t1[i] * 2 + 1, x0[n,i] * 3 - x1[n,i], 0.0)",
};

expr::TileProgram program_over(const std::string& text, int64_t n, int64_t i) {
  return expr::parse_program(
      {"test", "[n=" + std::to_string(n) + ",i=" + std::to_string(i) + "] " + text}, {},
      {expr::all_aggregates(), {}}, expr::all_functions());
}

/// A plan of one call.
struct Planned {
  const expr::TileProgram* program;
  CallShape shape;
  Choice choice;
};

/// Plans calls of all lengths, then prepares and reads them one after the other, as a run does.
void plan_and_prepare(const std::vector<expr::TileProgram>& programs, const Context& context) {
  std::vector<Planned> plan;
  for (const expr::TileProgram& program : programs) {
    CallShape shape;
    for (const expr::LabelDecl& label : program.labels) {
      shape.ranges.push_back({0, label.extent});
    }
    for (const int64_t part : {1, 2, 7}) {  // tiles of several lengths of one program
      shape.ranges[0].length = std::max<int64_t>(1, program.labels[0].extent / part);
      plan.push_back({&program, shape, choose(program, shape, context)});
    }
  }
  for (const Planned& call : plan) {
    const auto again = call.choice.kernel->read(*call.program, call.shape, context);
    ASSERT_TRUE(again) << to_text(*call.program);
    EXPECT_EQ(again->workspace_bytes, call.choice.plan.workspace_bytes)
        << call.choice.kernel->name << ": " << to_text(*call.program);
    EXPECT_NE(again->prepare(), nullptr);
  }
}

std::vector<expr::TileProgram> drawn_programs() {
  std::mt19937_64 random(3);
  std::vector<expr::TileProgram> programs;
  for (const char* const text : kPrograms) {
    for (int drawn = 0; drawn < 15 / kOneOfDrawn; ++drawn) {
      const auto length = static_cast<int64_t>(uint64_t{1} << (4 + random() % 15));
      const auto n = length + static_cast<int64_t>(random() % static_cast<uint64_t>(length));
      programs.push_back(program_over(text, n, 1 + static_cast<int64_t>(random() % 40)));
    }
  }
  return programs;
}

TEST(PlannedWorkspace, IsWhatARunAsksFor) {
  const std::vector<expr::TileProgram> programs = drawn_programs();
  for (const Generating generating : {Generating::off, Generating::automatic, Generating::always}) {
    const io::ScratchDirectory scratch;
    for (const bool is_warm : {false, true}) {
      const Generator generator({generating, scratch.path("kernels")});
      const Registry registry = with_generator(all_kernels(), generator);
      const Context context{known().functions, known().aggregates, registry, known().machine};
      for (int run = 0; run < 2; ++run) {
        plan_and_prepare(programs, context);
        ASSERT_FALSE(testing::Test::HasFailure())
            << name_of(generating) << (is_warm ? ", warm" : ", cold") << ", run " << run;
        generator.has_run(1000);
      }
    }
  }
}

}  // namespace

}  // namespace tessera::kernels::planned_workspace_test
