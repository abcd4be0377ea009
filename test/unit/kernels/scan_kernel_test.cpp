#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "unit/drawn.h"
#include "unit/kernels/program_draw.h"

/// The kernel of scans against `reference` on drawn programs, whole and band by band.
namespace tessera::kernels::scan_kernel_test {

namespace {

/// (y + v * z, w * v) of (z, w) and (y, v).
expr::Monoid recurrence(DType dtype) {
  const Literal zero = is_integer(dtype) ? Literal(int64_t{0}) : Literal(0.0);
  const Literal one = is_integer(dtype) ? Literal(int64_t{1}) : Literal(1.0);
  expr::Monoid monoid{"r", {dtype, dtype}, {}, {zero, one}, false};
  for (const bool is_first : {true, false}) {
    expr::ScalarBuilder builder;
    const int32_t factor = builder.parameter(3, dtype);
    const int32_t state = builder.parameter(is_first ? 0 : 1, dtype);
    const int32_t product = is_first ? builder.call("multiply", {factor, state}, dtype)
                                     : builder.call("multiply", {state, factor}, dtype);
    monoid.combine.push_back(builder.finish(
        is_first ? builder.call("add", {builder.parameter(2, dtype), product}, dtype) : product));
  }
  return monoid;
}

/// A scan of elements as they lie or of an expression, alone, after what is before a tile, or with
/// more computed from it. In types and numbers in which all is exact.
class Draw : public ProgramDraw {
 public:
  explicit Draw(uint64_t seed) : ProgramDraw(seed) {
    static constexpr DType kTypes[] = {DType::f64, DType::i64, DType::f32, DType::i32};
    dtype_ = kTypes[number(0, 3)];
    draw_labels();
    if (chance(35)) {
      draw_recurrence();
    } else {
      draw_scan();
    }
  }

 private:
  void draw_labels() {
    static constexpr int64_t kLengths[] = {0, 1, 2, 3, 5, 8, 17, 33};
    const int64_t num_labels = number(1, 3);
    for (int64_t label = 0; label < num_labels; ++label) {
      const int64_t length = kLengths[number(label == 0 ? 0 : 1, label == 0 ? 7 : 5)];
      const int64_t begin = number(0, 4);
      program.labels.push_back(
          {std::string(1, static_cast<char>('a' + label)), begin + length + number(0, 3)});
      shape.ranges.push_back({begin, length});
      out_.push_back(static_cast<expr::LabelNumber>(label));
    }
    along_ = static_cast<expr::LabelNumber>(number(0, num_labels - 1));
    std::shuffle(out_.begin(), out_.end(), random_);
  }

  /// An operand with these labels, perhaps part of a larger tile.
  int32_t draw_access(expr::ScalarBuilder& builder, std::vector<expr::LabelNumber> labels) {
    std::shuffle(labels.begin(), labels.end(), random_);
    return draw_ordered_access(builder, labels);
  }

  int32_t draw_ordered_access(expr::ScalarBuilder& builder,
                              const std::vector<expr::LabelNumber>& labels) {
    expr::Access access{program.num_inputs++, {}};
    Box inside;
    Box around;
    for (const expr::LabelNumber label : labels) {
      const LabelRange& range = shape.ranges[static_cast<size_t>(label)];
      access.index.push_back(expr::plain(label));
      inside.origin.push_back(range.begin);
      inside.extent.push_back(range.length);
      around.origin.push_back(range.begin - (range.begin > 0 && chance(30) ? 1 : 0));
      around.extent.push_back(range.begin + range.length - around.origin.back());
    }
    tiles_.emplace_back(dtype_, around);
    tiles_.back().fill(random_, -1, 1);
    inputs.push_back(subview(tiles_.back().view(), inside));
    return builder.access(access, dtype_);
  }

  std::vector<expr::LabelNumber> some_labels() {
    std::vector<expr::LabelNumber> labels = out_;
    if (chance(30)) {
      std::erase(labels,
                 out_[static_cast<size_t>(number(0, static_cast<int64_t>(out_.size()) - 1))]);
    }
    return labels;
  }

  expr::Scalar draw_element() {
    expr::ScalarBuilder builder;
    int32_t element = draw_access(builder, some_labels());
    if (chance(40)) {
      element = call(builder, "add", {element, draw_access(builder, some_labels())});
    }
    return builder.finish(element);
  }

  expr::Scan scan_by(const expr::Monoid& monoid) {
    return {monoid, along_,
            chance(50) ? expr::Scan::Direction::forward : expr::Scan::Direction::backward,
            chance(40)};
  }

  std::vector<int32_t> states_at(expr::ScalarBuilder& builder, int32_t first,
                                 const std::vector<expr::LabelNumber>& labels, size_t num_states) {
    std::vector<expr::Index> index;
    for (const expr::LabelNumber label : labels) {
      index.push_back(expr::plain(label));
    }
    std::vector<int32_t> states;
    for (size_t entry = 0; entry < num_states; ++entry) {
      states.push_back(builder.access({first + static_cast<int32_t>(entry), index}, dtype_));
    }
    return states;
  }

  /// out = the states merged with what is before them, which comes in last.
  void add_start(const expr::Monoid& monoid) {
    const size_t num_states = monoid.state.size();
    std::vector<expr::LabelNumber> others = out_;
    std::erase(others, along_);
    const int32_t first = program.num_inputs;
    for (size_t entry = 0; entry < num_states; ++entry) {
      expr::ScalarBuilder unused;
      draw_ordered_access(unused, others);
    }
    expr::ScalarBuilder builder;
    std::vector<int32_t> both = states_at(builder, first, others, num_states);
    const std::vector<int32_t> states = states_at(builder, program.num_inputs, out_, num_states);
    both.insert(both.end(), states.begin(), states.end());
    program.statements.push_back(
        {out_, {builder.finish(builder.inline_scalar(monoid.combine[0], both))}});
  }

  void add_result(size_t num_states) {
    expr::ScalarBuilder builder;
    const std::vector<int32_t> states = states_at(builder, program.num_inputs, out_, num_states);
    program.statements.push_back({out_, {builder.finish(states[0])}});
  }

  void draw_scan() {
    static constexpr const char* kAggregates[] = {"sum", "prod", "max", "min"};
    const expr::Monoid monoid =
        expr::all_aggregates().find(kAggregates[number(0, 3)])->bind(dtype_).monoid;
    program.statements.push_back({out_, {draw_element()}, scan_by(monoid)});
    if (chance(40)) {
      return add_start(monoid);
    }
    if (chance(50)) {
      expr::ScalarBuilder unused;
      draw_access(unused, out_);  // so that the last input is read after the scan alone
      expr::ScalarBuilder builder;
      const std::vector<int32_t> states = states_at(builder, program.num_inputs, out_, 1);
      const int32_t two = builder.constant(int64_t{2}, DType::i64);
      program.statements.push_back(
          {out_,
           {builder.finish(builder.cast(call(builder, "multiply", {states[0], two}), dtype_))}});
    }
  }

  void draw_recurrence() {
    const expr::Monoid monoid = recurrence(dtype_);
    expr::TileStatement first{out_, {draw_element(), draw_element()}};
    if (chance(30)) {
      std::erase(first.out, along_);
      first.what = expr::Reduce{monoid, {along_}};
      program.statements.push_back(std::move(first));
      return;
    }
    first.what = scan_by(monoid);
    program.statements.push_back(std::move(first));
    if (chance(50)) {
      add_start(monoid);
    } else {
      add_result(2);
    }
  }

  DType dtype_ = DType::f64;
  expr::LabelNumber along_ = 0;
  std::vector<expr::LabelNumber> out_;
};

TEST(ScanKernel, AgreesWithTheReferenceOnDrawnProgramsInAnyBands) {
  const Registry registry = all_kernels();
  int num_runs = 0;
  for (const int64_t core_bytes : {int64_t{1} << 20, int64_t{300}}) {
    Machine machine = known().machine;
    machine.caches.core_bytes = core_bytes;
    const Context context{known().functions, known().aggregates, registry, machine};
    const Kernel& scan = *registry.find("scan");
    for (uint64_t seed = 0; seed < 1000 / kOneOfDrawn; ++seed) {
      const Draw draw(seed);
      if (!scan.read(draw.program, draw.shape, context)) {
        continue;
      }
      ++num_runs;
      const Outcome expected =
          run_kernel(*registry.find("reference"), draw.program, draw.shape, draw.inputs, context);
      const Outcome seen = run_kernel(scan, draw.program, draw.shape, draw.inputs, context);
      ASSERT_EQ(seen.status, expected.status) << seed;
      for (size_t output = 0; output < expected.outputs.size(); ++output) {
        ASSERT_EQ(first_difference(seen.outputs[output], expected.outputs[output]), -1)
            << "seed " << seed << ", output " << output << ": " << to_text(draw.program);
      }
    }
  }
  EXPECT_GT(num_runs, 1500 / kOneOfDrawn);
}

/// The extents of an input that is read at labels.
Shape shape_of(const expr::TileProgram& program, int32_t input) {
  Shape shape;
  expr::for_each_access(program, [&](const expr::Access& access, DType) {
    if (access.operand == input && shape.empty()) {
      for (const expr::Index& index : access.index) {
        shape.push_back(program.labels[static_cast<size_t>(*expr::plain_label(index))].extent);
      }
    }
  });
  return shape;
}

/// The result of a run whose output lies on its first input, or on a tile of its own.
TestTile scanned(const Kernel& kernel, const expr::TileProgram& program, bool is_in_place) {
  CallShape shape;
  for (const expr::LabelDecl& label : program.labels) {
    shape.ranges.push_back({0, label.extent});
  }
  std::mt19937_64 random(3);
  std::vector<TestTile> tiles;
  std::vector<TileView> inputs;
  const DType dtype = program.statements[0].bodies[0].dtype();
  for (int32_t input = 0; input < program.num_inputs; ++input) {
    tiles.emplace_back(dtype, whole(shape_of(program, input)));
    tiles.back().fill(random);
    inputs.push_back(tiles.back().view());
  }
  TestTile apart(dtype, whole(shape_of(program, 0)));
  const std::vector<TileView> outputs = {is_in_place ? inputs[0] : apart.view()};
  const OrRefusal<KernelPlan> plan = kernel.read(program, shape, known().context);
  const TestTile workspace(DType::u8, whole({plan->workspace_bytes + 64}));
  EXPECT_EQ(plan->prepare()->run({inputs, outputs, shape.ranges, false, workspace.view().data}),
            Status::ok);
  return is_in_place ? std::move(tiles[0]) : std::move(apart);
}

TEST(ScanKernel, WritesOverWhatItScans) {
  const Registry registry = all_kernels();
  const std::vector<expr::Monoid> own = {recurrence(DType::f64)};
  for (const std::string body :
       {"o[i,j] = scan sum[i{}] x0[i,j]", "o[i,j] = scan max[j{}] x0[i,j]",
        "o[i,j] = scan sum[i{}] x0[i,j] * x1[j]",
        "t0[i,j] = scan sum[i{}] x0[i,j]; o[i,j] = x1[j] + t0[i,j]",
        "(t0,t1)[i,j] = scan r[i{}] (x0[i,j], x1[j]); o[i,j] = t0[i,j]",
        "(t0,t1)[i,j] = scan r[j{}] (x1[j], x0[i,j]); o[i,j] = t0[i,j]",
        "(t0,t1)[i,j] = scan logsumexp[i{}] (x0[i,j], 1.0:f64); o[i,j] = t0[i,j] + log(t1[i,j])"}) {
    for (const char* order : {"", "; backward", "; exclusive", "; backward exclusive"}) {
      for (const char* labels : {"[i=5,j=3]", "[i=1,j=70]", "[i=300,j=1]", "[i=150,j=133]"}) {
        std::string statement = body;
        statement.replace(statement.find("{}"), 2, order);
        const bool has_second = statement.find("x1") != std::string::npos;
        const std::string text =
            std::string(labels) + (has_second ? " (f64,f64) " : " (f64) ") + statement;
        const expr::TileProgram program =
            expr::parse_program({"test", text}, {}, {known().aggregates, own}, known().functions);
        for (const char* name : {"scan", "reference"}) {
          const Kernel& kernel = *registry.find(name);
          EXPECT_EQ(
              first_difference(scanned(kernel, program, true), scanned(kernel, program, false)), -1)
              << name << ": " << text;
        }
      }
    }
  }
}

TEST(ScanKernel, SaysWhatItDoesNotRun) {
  const Registry registry = all_kernels();
  const auto reason = [&](const char* text) {
    const expr::TileProgram program =
        expr::parse_program({"test", text}, {}, {known().aggregates, {}}, known().functions);
    CallShape shape;
    for (const expr::LabelDecl& label : program.labels) {
      shape.ranges.push_back({0, label.extent});
    }
    return refusal(*registry.find("scan"), program, shape);
  };
  EXPECT_EQ(reason("[i=4] (f32) o[i] = x0[i]"),
            "it scans first, or merges in the order of one label");
  EXPECT_EQ(reason("[i=4] (f16) o[i] = scan max[i] x0[i]"),
            "its states are of f16, which are rounded wherever they are stored");
  EXPECT_EQ(reason("[i=4,j=2] (f32) t0[i,j] = scan sum[i] x0[i,j]; o[i] = sum[j] t0[i,j]"),
            "what follows its scan is computed element by element");
}

}  // namespace

}  // namespace tessera::kernels::scan_kernel_test
