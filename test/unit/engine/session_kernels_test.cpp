#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "engine/session.h"
#include "expr/text/text.h"
#include "kernels/registry.h"

/// Which kernels a session plans with.
namespace tessera::engine::session_kernels_test {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const char* const kSoftmax =
    "input X[i,j]\n"
    "E[i,j] = exp(X[i,j] - max[j] X[i,j])\n"
    "Y[i,j] = E[i,j] / sum[j] E[i,j]\n"
    "output Y\n";

/// The plan of a softmax over a matrix so large that fusing pays.
plan::TaskGraph planned(const Session& session, const Shape& shape = {4000, 3000}) {
  frontend::Bindings bindings;
  bindings.inputs["X"] = {DType::f32, shape};
  const Stages stages = session.plan(Program{{"softmax.ein", kSoftmax}}, bindings);
  return stages.plan().tasks;
}

/// The kernels of a plan's tasks, and how many of its programs have several statements.
struct Made {
  std::set<std::string> kernels;
  int num_fused = 0;
};

Made made_by(const plan::TaskGraph& tasks) {
  Made made;
  for (const plan::TaskInfo& task : tasks.tasks) {
    if (task.kind == plan::TaskKind::compute) {
      made.kernels.insert(*task.kernel);
    }
  }
  for (const plan::ProgramInfo& program : tasks.programs) {
    made.num_fused += program.program->statements.size() > 1 ? 1 : 0;
  }
  return made;
}

kernels::Registry registry_of(const std::vector<std::string>& names) {
  kernels::Registry all;
  kernels::register_all_kernels(all);
  kernels::Registry some;
  for (const std::string& name : names) {
    some.add(*all.find(name));
  }
  return some;
}

double seconds_of(const plan::TaskGraph& tasks) {
  double seconds = 0;
  for (const plan::TaskInfo& task : tasks.tasks) {
    seconds += task.seconds;
  }
  return seconds;
}

/// How often `fused` is asked how it would run one program on calls of one size, at most, while a
/// softmax of many rows is planned in so much memory; and how often of all programs together.
struct Reads {
  int64_t most_of_one = 0;
  int64_t in_all = 0;
  bool is_refused = false;
};

Reads reads_in(int64_t memory_bytes) {
  std::map<std::string, int64_t> reads;
  kernels::Registry all;
  kernels::register_all_kernels(all);
  kernels::Registry counting;
  for (kernels::Kernel kernel : all.all()) {
    kernel.reader = [&reads, name = kernel.name, read = kernel.reader](
                        const expr::TileProgram& program, const kernels::CallShape& shape,
                        const kernels::Context& context) {
      if (name == "fused" && program.statements.size() > 1) {
        std::string call = expr::to_text(program);
        for (const kernels::LabelRange& range : shape.ranges) {
          call += fmt::format(" {}", range.length);
        }
        ++reads[call];
      }
      return read(program, shape, context);
    };
    counting.add(std::move(kernel));
  }
  Settings settings;
  settings.memory_bytes = memory_bytes;
  settings.workers = 2;
  Reads result;
  try {
    (void)planned(Session(settings, counting, this_machine()), {50'000, 3000});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resource);
    result.is_refused = true;
  }
  for (const auto& [call, times] : reads) {
    result.most_of_one = std::max(result.most_of_one, times);
    result.in_all += times;
  }
  return result;
}

TEST(SessionKernels, ARefusalMakesEveryPlanOnce) {
  const Reads of_first = reads_in(int64_t{1} << 32);
  const Reads of_all = reads_in(1);
  EXPECT_FALSE(of_first.is_refused);
  EXPECT_TRUE(of_all.is_refused);
  EXPECT_GT(of_first.most_of_one, 0);
  EXPECT_GT(of_all.in_all, 2 * of_first.in_all);  // several candidates, the finest are fused too
  EXPECT_EQ(of_all.most_of_one, of_first.most_of_one);
}

TEST(SessionKernels, AKernelByNameReachesFusedPrograms) {
  Settings settings;
  settings.kernel = "blocked_evaluator";
  const Made made = made_by(planned(Session(settings)));
  EXPECT_THAT(made.kernels, ElementsAre("fused"));
  EXPECT_GT(made.num_fused, 0);
  settings.kernel = "reference";
  EXPECT_THAT(made_by(planned(Session(settings))).kernels, ElementsAre("reference"));
}

TEST(SessionKernels, AKernelThatRunsOthersCannotBeTheOnlyOne) {
  Settings settings;
  settings.kernel = "fused";
  try {
    const Session session(settings);
    FAIL() << "fused has nothing to run statements by";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("fused runs statements by other kernels"));
  }
}

TEST(SessionKernels, ASessionHasTheKernelsItWasGiven) {
  const plan::TaskGraph interpreted =
      planned(Session({}, registry_of({"reference", "fused"}), this_machine()));
  const plan::TaskGraph evaluated =
      planned(Session({}, registry_of({"blocked_evaluator", "fused"}), this_machine()));
  EXPECT_THAT(made_by(evaluated).kernels, ElementsAre("fused"));
  // The statements of a fused program are run, and priced, by the session's kernels.
  EXPECT_GT(seconds_of(interpreted), 5 * seconds_of(evaluated));
  try {
    (void)planned(Session({}, registry_of({"gemm", "fused"}), this_machine()));
    FAIL() << "gemm runs no statement of a softmax";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user);
    EXPECT_THAT(error.message(), HasSubstr("no kernel runs {"));
  }
}

TEST(SessionKernels, AMachineIsPlannedForByItsFigures) {
  Machine slow = this_machine();
  slow.rates.bytes_per_second /= 100;
  const Session session({}, registry_of({"blocked_evaluator", "fused"}), slow);
  EXPECT_GT(seconds_of(planned(session)),
            2 * seconds_of(planned(
                    Session({}, registry_of({"blocked_evaluator", "fused"}), this_machine()))));
}

TEST(SessionKernels, TheInstructionSetIsChosenOnce) {
  Settings settings;
  settings.isa = Isa::scalar;
  EXPECT_EQ(Session(settings).machine().isa, Isa::scalar);
  EXPECT_EQ(Session().machine().isa, widest_isa());
}

}  // namespace

}  // namespace tessera::engine::session_kernels_test
