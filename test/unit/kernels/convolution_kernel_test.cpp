#include <algorithm>
#include <optional>

#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "kernels/cpu/convolution/direct_loop.h"
#include "kernels/cpu/convolution/sized_convolution.h"
#include "unit/drawn.h"
#include "unit/kernels/program_draw.h"

/// Convolutions through oneDNN, and by the loop that stands in for it, against `reference`.
namespace tessera::kernels::convolution_kernel_test {

namespace {

/// A convolution of f32 with its modes in any order, some left out, and tiles that begin anywhere.
class Draw : public ProgramDraw {
 public:
  /// Where `has_slack`, tiles are larger than what is read.
  Draw(uint64_t seed, bool has_slack) : ProgramDraw(seed), has_slack_(has_slack) {
    const bool has_groups = chance(25);
    const int64_t directions = number(1, 3);
    const int64_t places[] = {0, 200, 14, 7};
    const auto maybe = [&](int64_t percent, const char* name, int64_t longest, bool is_out) {
      if (chance(percent)) {
        add_label(name, number(1, longest), is_out);
        return true;
      }
      return false;
    };
    if (maybe(60, "n", 3, true)) {
      data_.push_back(expr::plain(last()));
    }
    if (has_groups) {
      add_label("g", number(1, 12), true);
      data_.push_back(expr::plain(last()));
      weights_.push_back(expr::plain(last()));
    } else {
      if (maybe(80, "c", 12, false)) {
        data_.push_back(expr::plain(last()));
        weights_.push_back(expr::plain(last()));
      }
      if (maybe(80, "o", 12, true)) {
        weights_.push_back(expr::plain(last()));
      }
    }
    for (int64_t direction = 0; direction < directions; ++direction) {
      add_label(&"xyz"[direction], number(places[directions] / 2, places[directions]), true);
      const expr::LabelNumber place = last();
      add_label(&"abd"[direction], number(1, 4), false);
      weights_.push_back(expr::plain(last()));
      data_.push_back(
          expr::affine({{{place, number(1, 3)}, {last(), number(1, 3)}}, number(0, 5)}));
    }
    std::shuffle(data_.begin(), data_.end(), random_);
    std::shuffle(weights_.begin(), weights_.end(), random_);
    std::shuffle(out_.begin(), out_.end(), random_);
    add_statement();
  }

 private:
  void add_label(const char* name, int64_t length, bool is_out) {
    const int64_t begin = number(0, 3);
    program.labels.push_back({std::string(1, *name), begin + length});
    shape.ranges.push_back({begin, length});
    (is_out ? out_ : over_).push_back(last());
  }
  expr::LabelNumber last() const {
    return static_cast<expr::LabelNumber>(program.labels.size() - 1);
  }

  int32_t read(expr::ScalarBuilder& builder, std::vector<expr::Index> index) {
    Box box;
    for (const expr::Index& one : index) {
      const expr::Reach reach = *expr::reach_of(one, shape.ranges);
      const auto first = static_cast<int64_t>(reach.lowest);
      const int64_t before = has_slack_ ? std::min<int64_t>(first, number(0, 2)) : 0;
      box.origin.push_back(first - before);
      box.extent.push_back(static_cast<int64_t>(reach.highest) - first + 1 + before +
                           (has_slack_ ? number(0, 2) : 0));
    }
    tiles_.emplace_back(DType::f32, box);
    tiles_.back().fill(random_);
    inputs.push_back(tiles_.back().view());
    return builder.access({program.num_inputs++, std::move(index)}, DType::f32);
  }

  void add_statement() {
    expr::ScalarBuilder builder;
    const bool is_turned = chance(50);
    const int32_t first = read(builder, is_turned ? weights_ : data_);
    const int32_t second = read(builder, is_turned ? data_ : weights_);
    expr::TileStatement statement;
    statement.out = out_;
    std::shuffle(over_.begin(), over_.end(), random_);
    reduce(statement, over_, builder, "sum", call(builder, "multiply", {first, second}),
           builder.constant(int64_t{0}, DType::i64));
    program.statements.push_back(std::move(statement));
    shape.accumulate = chance(30);
  }

  bool has_slack_;
  std::vector<expr::LabelNumber> out_;
  std::vector<expr::LabelNumber> over_;
  std::vector<expr::Index> data_;
  std::vector<expr::Index> weights_;
};

const Kernel& convolution_onednn() {
  return *all_kernels().find("convolution_onednn");
}

TEST(ConvolutionKernel, AgreesWithTheReferenceOnDrawnConvolutions) {
  int num_runs = 0;
  for (uint64_t seed = 0; seed < 250 / kOneOfDrawn; ++seed) {
    const Draw draw(seed, seed % 3 == 0);
    const std::string reason = refusal(convolution_onednn(), draw.program, draw.shape);
    if (!reason.empty()) {
      ASSERT_NE(reason.find("so few products"), std::string::npos)
          << reason << ", seed " << seed << ": " << to_text(draw.program);
      continue;
    }
    ++num_runs;
    const Outcome expected =
        run_kernel(*all_kernels().find("reference"), draw.program, draw.shape, draw.inputs);
    const Outcome seen = run_kernel(convolution_onednn(), draw.program, draw.shape, draw.inputs);
    ASSERT_EQ(seen.status, Status::ok);
    ASSERT_EQ(first_difference(seen.outputs[0], expected.outputs[0]), -1)
        << "seed " << seed << ": " << to_text(draw.program);
  }
  EXPECT_GT(num_runs, 20 / kOneOfDrawn);
}

TEST(ConvolutionKernel, HasALoopWithoutMemoryThatAgrees) {
  int num_runs = 0;
  for (uint64_t seed = 0; seed < 100 / kOneOfDrawn; ++seed) {
    const Draw draw(seed, false);
    const OrRefusal<SizedConvolution> sized = sized_convolution(draw.program, draw.shape);
    if (!sized) {
      continue;
    }
    ++num_runs;
    const Outcome expected =
        run_kernel(*all_kernels().find("reference"), draw.program, draw.shape, draw.inputs);
    const auto operand = [&](const expr::Access& access) {
      return draw.inputs[static_cast<size_t>(access.operand)].data;
    };
    std::mt19937_64 random(7);  // what run_kernel begins with
    Box box;
    for (const expr::LabelNumber label : sized->out) {
      box.origin.push_back(0);
      box.extent.push_back(draw.shape.ranges[static_cast<size_t>(label)].length);
    }
    TestTile looped(DType::f32, box);
    looped.fill(random);
    convolve_directly(draw.shape.ranges, sized->label_steps, sized->out, sized->over,
                      operand(sized->what.data), operand(sized->what.weights), looped.view().data,
                      draw.shape.accumulate);
    ASSERT_EQ(first_difference(looped, expected.outputs[0]), -1)
        << "seed " << seed << ": " << to_text(draw.program);
  }
  EXPECT_GT(num_runs, 8 / kOneOfDrawn);
}

/// out[n,o,x] = sum over c, a of data[...] * w[o,c,a].
std::string refusal_of(const std::vector<expr::Index>& data,
                       const std::vector<expr::Index>& weights, DType dtype = DType::f32) {
  expr::TileProgram program;
  CallShape shape;
  for (const auto& [name, extent] :
       {std::pair("n", 4), {"o", 16}, {"x", 200}, {"c", 16}, {"a", 3}}) {
    program.labels.push_back({name, extent});
    shape.ranges.push_back({0, extent});
  }
  expr::ScalarBuilder builder;
  const int32_t first = builder.access({0, data}, dtype);
  const int32_t second = builder.access({1, weights}, dtype);
  program.num_inputs = 2;
  expr::TileStatement statement;
  statement.out = {0, 1, 2};
  statement.bodies = {builder.finish(builder.call("multiply", {first, second}, dtype))};
  statement.what = expr::Reduce{expr::all_aggregates().find("sum")->bind(dtype).monoid, {3, 4}};
  program.statements.push_back(statement);
  return refusal(convolution_onednn(), program, shape);
}

TEST(ConvolutionKernel, SaysWhyAProgramIsNoConvolution) {
  const expr::Index n = expr::plain(0);
  const expr::Index o = expr::plain(1);
  const expr::Index c = expr::plain(3);
  const expr::Index a = expr::plain(4);
  const auto window = [](int64_t place, int64_t tap) {
    return expr::affine({{{2, place}, {4, tap}}, 0});
  };
  EXPECT_EQ(refusal_of({n, c, window(1, 1)}, {o, c, a}), "");
  EXPECT_EQ(refusal_of({n, c, window(2, 3)}, {o, c, a}), "");
  EXPECT_EQ(refusal_of({n, c, window(1, 1)}, {o, c, a}, DType::f64), "a factor is f64, not f32");
  EXPECT_EQ(refusal_of({n, c, window(1, -1)}, {o, c, a}),
            "a mode is read otherwise than at a place and a tap");
  EXPECT_EQ(refusal_of({n, c, expr::plain(2), a}, {o, c, a}),
            "it has more labels of one kind than a convolution");
  EXPECT_EQ(refusal_of({n, c, window(1, 1)}, {o, a}),
            "it has more labels of one kind than a "
            "convolution");
  EXPECT_EQ(refusal_of({n, c, window(1, 1)}, {o, c, window(1, 1)}),
            "no factor is read plainly, as weights are");
}

}  // namespace

}  // namespace tessera::kernels::convolution_kernel_test
