#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "expr/segmented.h"
#include "expr/text/text.h"
#include "unit/drawn.h"
#include "unit/kernels/program_draw.h"

/// Scans in panels against `reference` on drawn programs, whole and band by band.
namespace tessera::kernels::panel_scan_test {

namespace {

/// A scan of states that have no loop of their own, or what a tile merges to: alone, after what is
/// before a tile, or with more computed from it. In types and numbers in which all is exact.
class StateDraw : public ProgramDraw {
 public:
  explicit StateDraw(uint64_t seed) : ProgramDraw(seed) {
    draw_labels();
    draw_scan();
    expr::TileStatement first{out_, bodies_};
    if (!monoid_.is_commutative && chance(25)) {
      std::erase(first.out, along_);
      first.what = expr::Reduce{monoid_, {along_}};
      program.statements.push_back(std::move(first));
      return;
    }
    first.what = expr::Scan{
        monoid_, along_,
        chance(50) ? expr::Scan::Direction::forward : expr::Scan::Direction::backward, chance(40)};
    program.statements.push_back(std::move(first));
    if (chance(80)) {
      add_result(chance(50), chance(30));
    }
  }

 private:
  using Labels = std::vector<expr::LabelNumber>;

  static constexpr DType kTypes[] = {DType::f64, DType::i64, DType::f32, DType::i32,
                                     DType::i16, DType::u8,  DType::b1};

  void draw_labels() {
    static constexpr int64_t kLong[] = {0, 1, 5, 32, 33, 64, 129, 200, 511, 512, 700, 1100, 9000};
    static constexpr int64_t kShort[] = {1, 2, 3, 17, 40};
    const int64_t num_labels = number(1, 3);
    along_ = static_cast<expr::LabelNumber>(number(0, num_labels - 1));
    int64_t most = 20000;
    for (int64_t label = 0; label < num_labels; ++label) {
      int64_t length = label == along_ ? kLong[number(0, 12)] : kShort[number(0, 4)];
      length = std::min(length, std::max<int64_t>(most, 1));
      most /= std::max<int64_t>(length, 1);
      const int64_t begin = number(0, 4);
      program.labels.push_back(
          {std::string(1, static_cast<char>('a' + label)), begin + length + number(0, 3)});
      shape.ranges.push_back({begin, length});
      out_.push_back(static_cast<expr::LabelNumber>(label));
    }
    std::shuffle(out_.begin(), out_.end(), random_);
  }

  int32_t draw_access(expr::ScalarBuilder& builder, DType dtype, const Labels& labels) {
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
    tiles_.emplace_back(dtype, around);
    tiles_.back().fill(random_, is_bool(dtype) ? 0 : -1, 1);
    inputs.push_back(subview(tiles_.back().view(), inside));
    return builder.access(access, dtype);
  }

  /// An element of a dtype: as it lies, computed, or one number.
  expr::Scalar draw_element(DType dtype) {
    Labels labels = out_;
    std::shuffle(labels.begin(), labels.end(), random_);
    if (chance(20)) {
      labels.pop_back();
    }
    expr::ScalarBuilder builder;
    if (chance(15)) {
      return builder.finish(builder.constant(int64_t{1}, dtype));
    }
    int32_t element = draw_access(builder, dtype, labels);
    if (chance(25)) {
      element = call(builder, "maximum", {element, draw_access(builder, dtype, labels)});
    }
    return builder.finish(builder.cast(element, dtype));
  }

  void draw_scan() {
    const DType dtype = kTypes[number(0, 6)];
    const expr::AggregateRegistry& aggregates = expr::all_aggregates();
    switch (number(0, 3)) {
      case 0:  // of one entry, or of two numbers
        return draw_bodies(aggregates.find(chance(50)       ? "max"
                                           : is_bool(dtype) ? "any"
                                                            : "sum")
                               ->bind(dtype)
                               .monoid);
      case 1: {
        expr::ScalarBuilder position;
        draw_bodies(aggregates.find(chance(50) ? "argmax" : "argmin")->bind(dtype).monoid);
        bodies_[1] = position.finish(position.index_of(along_));
        return;
      }
      case 2: {
        draw_bodies(aggregates.find(is_bool(dtype) ? "min" : "sum")->bind(dtype).monoid);
        static constexpr DType kSegments[] = {DType::i64, DType::f32, DType::b1, DType::u8};
        const expr::Scanned scanned =
            expr::segmented({monoid_, bodies_, {}}, draw_element(kSegments[number(0, 3)]), false);
        monoid_ = scanned.monoid;
        bodies_ = scanned.bodies;
        return;
      }
      default:
        return draw_bodies(step(dtype == DType::b1 ? DType::f64 : dtype));
    }
  }

  void draw_bodies(const expr::Monoid& monoid) {
    monoid_ = monoid;
    for (const DType dtype : monoid.state) {
      bodies_.push_back(draw_element(dtype));
    }
  }

  /// (c * a, c * b + d) of (a, b) and (c, d).
  static expr::Monoid step(DType dtype) {
    const bool is_whole = is_integer(dtype);
    expr::Monoid monoid{"step", {dtype, dtype}, {}, {}, false};
    monoid.identity = {is_whole ? Literal(int64_t{1}) : Literal(1.0),
                       is_whole ? Literal(int64_t{0}) : Literal(0.0)};
    for (const int32_t entry : {0, 1}) {
      expr::ScalarBuilder builder;
      const int32_t product = builder.call(
          "multiply", {builder.parameter(2, dtype), builder.parameter(entry, dtype)}, dtype);
      monoid.combine.push_back(builder.finish(
          entry == 0 ? product
                     : builder.call("add", {product, builder.parameter(3, dtype)}, dtype)));
    }
    return monoid;
  }

  std::vector<int32_t> states_at(expr::ScalarBuilder& builder, int32_t first,
                                 const Labels& labels) const {
    std::vector<expr::Index> index;
    for (const expr::LabelNumber label : labels) {
      index.push_back(expr::plain(label));
    }
    std::vector<int32_t> states;
    for (const DType dtype : monoid_.state) {
      states.push_back(builder.access({first + static_cast<int32_t>(states.size()), index}, dtype));
    }
    return states;
  }

  /// An entry of the states, or all of them in one number; perhaps after what is before them,
  /// which comes in last.
  void add_result(bool is_started, bool takes_all) {
    Labels others = out_;
    std::erase(others, along_);
    const int32_t first_start = program.num_inputs;
    for (size_t entry = 0; is_started && entry < monoid_.state.size(); ++entry) {
      expr::ScalarBuilder unused;
      draw_access(unused, monoid_.state[entry], others);
      if (is_bool(monoid_.state[entry])) {
        tiles_.back().fill(random_, 1, 1);  // a state that there is: only such an identity leaves
      }
    }
    expr::ScalarBuilder builder;
    std::vector<int32_t> states = states_at(builder, program.num_inputs, out_);
    if (is_started) {
      std::vector<int32_t> both = states_at(builder, first_start, others);
      both.insert(both.end(), states.begin(), states.end());
      for (size_t entry = 0; entry < states.size(); ++entry) {
        states[entry] = builder.inline_scalar(monoid_.combine[entry], both);
      }
    }
    int32_t result =
        states[static_cast<size_t>(number(0, static_cast<int64_t>(states.size()) - 1))];
    for (size_t entry = 0; takes_all && entry < states.size(); ++entry) {
      result = builder.cast(call(builder, "maximum", {result, states[entry]}), DType::f64);
    }
    program.statements.push_back({out_, {builder.finish(result)}});
  }

  expr::LabelNumber along_ = 0;
  Labels out_;
  expr::Monoid monoid_;
  std::vector<expr::Scalar> bodies_;
};

TEST(PanelScan, AgreesWithTheReferenceOnDrawnProgramsInAnyBands) {
  const Registry& registry = all_kernels();
  int num_runs = 0;
  for (const int64_t core_bytes : {int64_t{1} << 20, int64_t{300}}) {
    Machine machine = known().machine;
    machine.caches.core_bytes = core_bytes;
    const Context context{known().functions, known().aggregates, registry, machine};
    const Kernel& scan = *registry.find("scan");
    for (uint64_t seed = 0; seed < 600 / kOneOfDrawn; ++seed) {
      const StateDraw draw(seed);
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
  EXPECT_GT(num_runs, 1100 / kOneOfDrawn);
}

/// Running values of equal lines that round, each by position: of labels in the order `out`.
std::vector<std::vector<double>> lines_of(const TestTile& line, int64_t num_lines,
                                          const std::string& out, const char* turn,
                                          int64_t core_bytes) {
  const Registry& registry = all_kernels();
  Machine machine = known().machine;
  machine.caches.core_bytes = core_bytes;
  const Context context{known().functions, known().aggregates, registry, machine};
  const std::string text = fmt::format(
      "[i={0},j={1}] (f64) (t0,t1)[{2}] = scan logsumexp[i{3}] (x0[i] * 0.3, 1.0:f64); "
      "o[{2}] = t0[{2}] + log(t1[{2}])",
      line.count(), num_lines, out, turn);
  const expr::TileProgram program =
      expr::parse_program({"test", text}, {}, {known().aggregates, {}}, known().functions);
  const Outcome seen =
      run_kernel(*registry.find("scan"), program, {{{0, line.count()}, {0, num_lines}}, false},
                 {line.view()}, context);
  const bool is_inside = out == "i,j";
  std::vector<std::vector<double>> lines(static_cast<size_t>(num_lines));
  for (int64_t number = 0; number < num_lines; ++number) {
    for (int64_t position = 0; position < line.count(); ++position) {
      lines[static_cast<size_t>(number)].push_back(
          seen.outputs[0].view().as<double>()[is_inside ? position * num_lines + number
                                                        : number * line.count() + position]);
    }
  }
  return lines;
}

/// The last bits of states that round show in which order they were merged.
TEST(PanelScan, MergesALineInAnOrderThatDependsOnTheLineAlone) {
  TestTile line(DType::f64, whole({10'007}));
  std::mt19937_64 random(3);
  line.fill(random, -9, 9);
  for (const char* turn : {"", "; backward"}) {
    const std::vector<double> expected = lines_of(line, 1, "i,j", turn, int64_t{1} << 20)[0];
    for (const int64_t num_lines : {1, 3, 40, 300}) {
      for (const char* out : {"i,j", "j,i"}) {
        for (const int64_t core_bytes : {int64_t{1} << 20, int64_t{300}}) {
          for (const std::vector<double>& seen : lines_of(line, num_lines, out, turn, core_bytes)) {
            ASSERT_TRUE(seen == expected) << num_lines << " lines, " << out << turn;
          }
        }
      }
    }
  }
}

}  // namespace

}  // namespace tessera::kernels::panel_scan_test
