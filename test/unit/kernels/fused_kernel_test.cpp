#include <barrier>
#include <cmath>
#include <limits>
#include <thread>

#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "kernels/choice.h"
#include "kernels/cpu/fused/plan.h"
#include "unit/expr/registries.h"
#include "unit/kernels/kernel_runner.h"

/// The kernel that runs several statements band by band, with bands small enough to be many.
namespace tessera::kernels::fused_kernel_test {
namespace {

/// A program with a tile for every input, as large as what is read plainly of it.
struct Case {
  explicit Case(const std::string& text, int64_t skipped = 0) {
    program = expr::parse_program({"test", text}, {}, {expr::all_aggregates(), {}},
                                  expr::all_functions());
    for (const expr::LabelDecl& label : program.labels) {
      const int64_t begin = std::min(skipped, label.extent);
      shape.ranges.push_back({begin, label.extent - begin});
    }
    std::mt19937_64 random(3);
    tiles.reserve(static_cast<size_t>(program.num_inputs));
    for (int32_t input = 0; input < program.num_inputs; ++input) {
      add_tile(input);
      tiles.back().fill(random);
    }
  }

  std::vector<TileView> inputs() const {
    std::vector<TileView> views;
    for (const TestTile& tile : tiles) {
      views.push_back(tile.view());
    }
    return views;
  }

  expr::TileProgram program;
  CallShape shape;
  std::vector<TestTile> tiles;

 private:
  void add_tile(int32_t input) {
    for (const expr::TileStatement& statement : program.statements) {
      for (const expr::Scalar& body : statement.bodies) {
        for (const expr::Node& node : body.nodes) {
          const auto* access = std::get_if<expr::Access>(&node.op);
          if (access != nullptr && access->operand == input) {
            Shape extents;
            for (const expr::Index& index : access->index) {
              extents.push_back(expr::num_read(index, [&](expr::LabelNumber label) {
                return program.labels[static_cast<size_t>(label)].extent;
              }));
            }
            tiles.emplace_back(node.dtype, whole(extents));
            return;
          }
        }
      }
    }
  }
};

/// Contexts in which a core's cache, and so a band, holds so many bytes.
struct Bands {
  const char* name;
  Machine machine;
  Context context;

  Bands(const char* of, int64_t bytes)
      : name(of),
        machine(known().machine),
        context{known().functions, known().aggregates, known().kernels, machine} {
    machine.caches.core_bytes = bytes;
  }
};
const Bands kOneByOne("one position", 1);
const Bands kSmall("small bands", 300);
const Bands kLarge("one band", int64_t{1} << 30);

Outcome run_in(const Bands& bands, const expr::TileProgram& program, const CallShape& shape,
               const std::vector<TileView>& inputs) {
  return run_kernel(*all_kernels().find("fused"), program, shape, inputs, bands.context);
}

void expect_same_outputs(const Outcome& outcome, const Outcome& expected, const std::string& what) {
  ASSERT_EQ(outcome.status, expected.status) << what;
  ASSERT_EQ(outcome.outputs.size(), expected.outputs.size());
  for (size_t output = 0; output < expected.outputs.size(); ++output) {
    EXPECT_EQ(first_difference(outcome.outputs[output], expected.outputs[output]), -1) << what;
  }
}

void expect_reference(const Case& made) {
  const Kernel& reference = *all_kernels().find("reference");
  const Outcome expected = run_kernel(reference, made.program, made.shape, made.inputs());
  for (const Bands* bands : {&kOneByOne, &kSmall, &kLarge}) {
    expect_same_outputs(run_in(*bands, made.program, made.shape, made.inputs()), expected,
                        std::string(bands->name) + ": " + expr::to_text(made.program));
  }
}

const char* const kPrograms[] = {
    // Statistics of rows, diamonds.
    "[i=13,j=9] (f64) t0[i] = max[j] x0[i,j]; t1[i,j] = x0[i,j] - t0[i]; t2[i] = sum[j] t1[i,j];"
    " o[i,j] = t1[i,j] - t2[i]",
    // The same along columns: the bands of the output have holes.
    "[i=13,j=9] (f64) t0[j] = max[i] x0[i,j]; t1[i,j] = x0[i,j] - t0[j]; t2[j] = sum[i] t1[i,j];"
    " o[i,j] = t1[i,j] - t2[j]",
    // A result in another order than its operands.
    "[i=13,j=9] (i64) t0[i,j] = x0[i,j] * x0[i,j]; o[j,i] = t0[i,j] + x0[i,j]",
    // Nothing can be cut: everything is read everywhere.
    "[i=7,j=7] (f64) t0[i,j] = x0[i,j] + 1; o[i,j] = t0[j,i] + t0[i,j]",
    // A statement that runs before the bands, and a whole sum.
    "[i=13,j=9] (f64,f64) t0[j] = x1[j] * x1[j]; t1[] = sum[i,j] x0[i,j];"
    " t2[i,j] = x0[i,j] + t0[j]; o[i] = sum[j] (t2[i,j] - t1[])",
    // Attention, with heads in the middle of the result.
    "[h=3,s=5,t=6,d=4] (f64,f64,f64) t0[h,s,t] = sum[d] x0[s,h,d] * x1[t,h,d];"
    " t1[h,s] = max[t] t0[h,s,t]; t2[h,s,t] = t0[h,s,t] - t1[h,s];"
    " o[s,h,d] = sum[t] t2[h,s,t] * x2[t,h,d]",
    // index() and a result of two arrays.
    "[i=13,j=9] (f64) t0[i] = max[j] x0[i,j]; t1[i,j] = x0[i,j] + f64(index(i)) * t0[i];"
    " (o0,o1)[i] = argmax[j] (t1[i,j], index(j))",
    // Two arrays handed on.
    "[i=13,j=9] (f64) (t0,t1)[i] = argmin[j] (x0[i,j], index(j)); o[i,j] = x0[i,j] * t0[i] +"
    " f64(t1[i])",
    // A mode of extent 1, read at 0.
    "[i=13,j=9,k=1] (f64) t0[i,k] = sum[j] (x0[i,j] + f64(index(k))); o[i,j] = x0[i,j] - t0[i,0]",
    // Halves are rounded where they are stored between statements.
    "[i=13,j=9] (f16) t0[i,j] = x0[i,j] * x0[i,j]; o[i,j] = t0[i,j] + x0[i,j]",
    // Scalars only.
    "[] (i64) t0[] = x0[] + 1; o[] = t0[] * t0[]",
    // One position, and none.
    "[i=1,j=1] (f64) t0[i] = sum[j] x0[i,j]; o[i,j] = x0[i,j] - t0[i]",
    "[i=0,j=9] (f64) t0[i] = sum[j] x0[i,j]; o[i,j] = x0[i,j] - t0[i]",
    "[i=4,j=0] (f64) t0[i] = sum[j] x0[i,j]; o[i] = t0[i] + 1",
    "[i=0,j=3] (f64) t0[j] = sum[i] x0[i,j]; o[j] = t0[j] + 1",
};

TEST(FusedKernel, AgreesWithTheReferenceInBandsOfAnyLength) {
  for (const char* const text : kPrograms) {
    expect_reference(Case(text));
  }
}

TEST(FusedKernel, CountsPositionsInTheWholeTensor) {
  for (const char* const text : kPrograms) {
    expect_reference(Case(text, 2));
  }
}

TEST(FusedKernel, MergesIntoItsOutputs) {
  for (const char* const text : {
           "[i=13,j=9] (f64) t0[i,j] = x0[i,j] + 1; o[i] = sum[j] t0[i,j] * x0[i,j]",
           // Two equal statements, of which the last alone merges.
           "[i=13,j=9] (f64) t0[i] = sum[j] x0[i,j]; t1[i,j] = x0[i,j] - t0[i]; o[i] = sum[j] "
           "t1[i,j]",
           "[h=3,i=13,j=9] (f64) t0[h,i,j] = x0[h,i,j] + 1; o[i,h] = max[j] t0[h,i,j]",
           "[i=13,j=9] (f64) t0[i,j] = x0[i,j] + 1; (o0,o1)[j] = argmax[i] (t0[i,j], index(i))",
       }) {
    Case made(text);
    made.shape.accumulate = true;
    expect_reference(made);
  }
}

/// How often kernels are asked to read a statement while a program is planned that adds 1 so often.
int64_t num_reads(int times) {
  std::string text = "[i=400,j=900] (f64) t0[i,j] = x0[i,j] + 1";
  for (int time = 1; time < times; ++time) {
    text += "; " + (time + 1 == times ? std::string("o") : "t" + std::to_string(time)) +
            "[i,j] = t" + std::to_string(time - 1) + "[i,j] + 1";
  }
  const Case made(text);
  int64_t reads = 0;
  Registry counting;
  for (Kernel kernel : known().kernels.all()) {
    kernel.reader = [&reads, read = kernel.reader](const auto&... what) {
      ++reads;
      return read(what...);
    };
    counting.add(std::move(kernel));
  }
  const Context context{known().functions, known().aggregates, counting, known().machine};
  EXPECT_TRUE(plan_fused(made.program, made.shape, context));
  return reads;
}

TEST(FusedKernel, ReadsEqualStatementsOnce) {
  EXPECT_GT(num_reads(3), 0);
  EXPECT_EQ(num_reads(12), num_reads(3));
}

TEST(FusedKernel, TellsFaultsOfEveryStatement) {
  Case made("[i=40] (i64) t0[i] = x0[i] + 1; t1[i] = floor_divide(7, t0[i]); o[i] = t1[i] + 1");
  EXPECT_EQ(run_in(kSmall, made.program, made.shape, made.inputs()).status,
            Status::integer_division_by_zero);
  std::fill_n(made.tiles[0].view().as<int64_t>(), 40, 1);
  EXPECT_EQ(run_in(kSmall, made.program, made.shape, made.inputs()).status, Status::ok);
}

/// Runs the statements as programs of their own, each whole.
std::vector<TestTile> run_apart(const Case& made) {
  std::vector<TestTile> results;
  results.reserve(made.program.statements.size());
  for (const StatementPart& part : split_statements(made.program)) {
    std::vector<TileView> inputs;
    for (const int32_t operand : part.operands) {
      inputs.push_back(
          operand < made.program.num_inputs
              ? made.tiles[static_cast<size_t>(operand)].view()
              : results[static_cast<size_t>(operand - made.program.num_inputs)].view());
    }
    const CallShape shape = shape_of_part(part, made.shape.ranges, false);
    Outcome outcome = run_kernel(*choose(part.program, shape, known().context).kernel, part.program,
                                 shape, inputs);
    results.push_back(std::move(outcome.outputs[0]));
  }
  return results;
}

/// Random numbers, rows of -inf, +inf and NaN here and there.
void fill_with_floats(const TestTile& tile) {
  std::mt19937_64 random(11);
  std::normal_distribution<float> normal(0, 3);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  float* const data = tile.view().as<float>();
  const int64_t row = tile.view().shape[tile.view().shape.size() - 1];
  for (int64_t element = 0; element < tile.count(); ++element) {
    data[element] = normal(random);
  }
  std::fill_n(data + 3 * row, row, -kInfinity);
  data[5 * row + 2] = kInfinity;
  data[7 * row + 1] = std::numeric_limits<float>::quiet_NaN();
}

TEST(FusedKernel, GivesTheBitsOfItsStatementsOneByOne) {
  for (const char* const extents : {"[i=37,j=300]", "[i=37,j=7]", "[i=37,j=2500]", "[i=37,j=1]"}) {
    Case made(std::string(extents) +
              " (f32) t0[i] = max[j] x0[i,j]; t1[i,j] = exp(x0[i,j] - t0[i]);"
              " t2[i] = sum[j] t1[i,j]; o[i,j] = t1[i,j] / t2[i]");
    fill_with_floats(made.tiles[0]);
    const std::vector<TestTile> apart = run_apart(made);
    for (const Bands* bands : {&kOneByOne, &kSmall, &kLarge}) {
      const Outcome fused = run_in(*bands, made.program, made.shape, made.inputs());
      EXPECT_EQ(first_difference(fused.outputs[0], apart.back()), -1) << bands->name << extents;
    }
  }
}

FusedPlan plan_of(const std::string& text, int64_t band_bytes) {
  const Case made(text);
  return *plan_fused(made.program, made.shape, Bands("of a test", band_bytes).context);
}

const std::string kSoftmax =
    "[i=100,j=64] (f32) t0[i] = max[j] x0[i,j]; t1[i,j] = exp(x0[i,j] - t0[i]);"
    " t2[i] = sum[j] t1[i,j]; o[i,j] = t1[i,j] / t2[i]";

TEST(FusedPlan, CutsRowsOfASoftmaxButNotTheRowItself) {
  const FusedPlan plan = plan_of(kSoftmax, 8192);
  EXPECT_EQ(plan.bands.labels, std::vector<expr::LabelNumber>{0});
  EXPECT_EQ(plan.lengths[1], 64);
  EXPECT_GT(plan.lengths[0], 8);  // a row is 256 bytes of x0 and as much of t1
  EXPECT_LE(plan.lengths[0], 16);
}

/// A window moves with the band whichever of its labels is written first.
TEST(FusedPlan, PricesAWindowByAllItsLabels) {
  const auto smoothed = [](const std::string& index) {
    return "[i=4000,k=3] (f32) t0[i] = sum[k] x0[" + index + "]; t1[i] = x0[i] - t0[i];" +
           " o[i] = t1[i] * t1[i] + t0[i]";
  };
  const FusedPlan one = plan_of(smoothed("i+k"), 4096);
  const FusedPlan other = plan_of(smoothed("k+i"), 4096);
  EXPECT_LT(one.lengths[0], 4000);  // there are bands
  EXPECT_EQ(one.lengths, other.lengths);
  EXPECT_EQ(one.cost.bytes, other.cost.bytes);
  EXPECT_EQ(one.cost.seconds, other.cost.seconds);
}

TEST(FusedPlan, WritesWhatIsOverwrittenLaterIntoTheOutput) {
  const FusedPlan plan = plan_of(kSoftmax, 8192);
  EXPECT_EQ(plan.results.places[0].output, -1);
  EXPECT_EQ(plan.results.places[1].output, 0);  // t1, which the division overwrites
  EXPECT_EQ(plan.results.places[3].output, 0);
  EXPECT_LE(plan.results.bytes, 128);  // only t0 and t2 of one band
}

TEST(FusedPlan, ReusesThePlaceOfWhatIsNoLongerRead) {
  const FusedPlan plan = plan_of(
      "[i=64,j=64] (f64) t0[i,j] = x0[i,j] + 1; t1[i,j] = t0[j,i] + 1; t2[i,j] = t1[j,i] + 1;"
      " o[i] = sum[j] t2[j,i]",
      int64_t{1} << 30);
  EXPECT_EQ(plan.results.bytes, 2 * 64 * 64 * 8);
  EXPECT_EQ(plan.results.places[0].offset, plan.results.places[2].offset);
}

TEST(FusedPlan, RunsBeforeTheBandsWhatLacksTheirLabels) {
  const FusedPlan plan = plan_of(
      "[i=100,j=64] (f32,f32) t0[j] = exp(x1[j]); t1[i,j] = x0[i,j] * t0[j]; o[i] = sum[j] t1[i,j]",
      8192);
  EXPECT_EQ(plan.bands.runs_per_band, (std::vector<bool>{false, true, true}));
}

TEST(FusedPlan, IsCheaperThanTheStatementsApart) {
  const Case made(
      "[i=8192,j=8192] (f32) t0[i] = max[j] x0[0,0]; t1[i,j] = exp(x0[0,0] - t0[i]);"
      " t2[i] = sum[j] t1[i,j]; o[i,j] = t1[i,j] / t2[i]");
  double apart = 0;
  for (const StatementPart& part : split_statements(made.program)) {
    const CallShape shape = shape_of_part(part, made.shape.ranges, false);
    apart += choose(part.program, shape, known().context).plan.cost.seconds;
  }
  EXPECT_LT(plan_fused(made.program, made.shape, known().context)->cost.seconds, 0.8 * apart);
}

TEST(FusedKernel, RunsItsStatementsByTheKernelsOfItsContext) {
  const Case made("[i=13,j=9] (f64) t0[i,j] = x0[i,j] + 1; o[i] = sum[j] t0[i,j] * x0[i,j]");
  const Known interpreted({"fused", "reference"});
  const Known evaluated({"fused", "blocked_evaluator"});
  const Known multiplied({"fused", "gemm"});
  const Kernel& fused = *all_kernels().find("fused");
  const double slow = fused.read(made.program, made.shape, interpreted.context)->cost.seconds;
  const double fast = fused.read(made.program, made.shape, evaluated.context)->cost.seconds;
  EXPECT_NE(slow, fast);
  EXPECT_LE(fused.read(made.program, made.shape, known().context)->cost.seconds,
            std::min(slow, fast));
  EXPECT_EQ(fused.read(made.program, made.shape, multiplied.context).reason(),
            "no kernel runs its statement {[i=13,j=9] (f64) o[i,j] = x0[i,j] + 1} (fused: it runs "
            "several statements, the program has one; gemm: it is not one sum)");
}

/// More callers of one prepared kernel than there are cores, all inside of it together.
TEST(FusedKernel, RunsInAnyNumberOfThreadsAtOnce) {
  const Case made(kPrograms[0]);
  const Outcome expected = run_in(kOneByOne, made.program, made.shape, made.inputs());
  const OrRefusal<KernelPlan> plan =
      all_kernels().find("fused")->read(made.program, made.shape, kOneByOne.context);
  const std::shared_ptr<const PreparedKernel> kernel = plan->prepare();
  const std::vector<TileView> inputs = made.inputs();
  std::vector<TestTile> outputs;
  std::vector<TestTile> workspaces;
  std::vector<std::thread> callers;
  const auto num_callers = static_cast<int>(4 * std::thread::hardware_concurrency() + 1);
  for (int caller = 0; caller < num_callers; ++caller) {
    outputs.emplace_back(DType::f64, whole({13, 9}));
    workspaces.emplace_back(DType::u8, whole({plan->workspace_bytes + 64}));
  }
  std::barrier all_are_here(num_callers);
  std::vector<Status> statuses(static_cast<size_t>(num_callers), Status::out_of_range);
  for (size_t caller = 0; caller < outputs.size(); ++caller) {
    callers.emplace_back([&, caller] {
      const std::vector<TileView> output = {outputs[caller].view()};
      all_are_here.arrive_and_wait();
      for (int call = 0; call < 20; ++call) {
        statuses[caller] =
            kernel->run({inputs, output, made.shape.ranges, false, workspaces[caller].view().data});
      }
    });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  for (size_t caller = 0; caller < outputs.size(); ++caller) {
    EXPECT_EQ(statuses[caller], Status::ok);
    EXPECT_EQ(first_difference(outputs[caller], expected.outputs[0]), -1) << caller;
  }
}

TEST(FusedKernel, RefusesOneStatement) {
  const Case made("[i=4] (f32) o[i] = x0[i] + 1");
  EXPECT_EQ(refusal(*all_kernels().find("fused"), made.program, made.shape),
            "it runs several statements, the program has one");
}

}  // namespace
}  // namespace tessera::kernels::fused_kernel_test
