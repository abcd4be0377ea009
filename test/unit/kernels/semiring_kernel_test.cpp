#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "unit/expr/registries.h"
#include "unit/kernels/kernel_runner.h"

/// What the drawn programs of every_kernel_test do not reach: NaN, infinities and the sign of zero,
/// and sides beyond one panel.
namespace tessera::kernels::semiring_kernel_test {

namespace {

struct Pair {
  const char* join;
  const char* of_join;  // "": nothing
  const char* aggregate;
  const char* weights = "";  // their labels, where there are any
};

constexpr Pair kPairs[] = {
    {"add", "", "min"},
    {"add", "", "max"},
    {"multiply", "", "max"},
    {"multiply", "", "min"},
    {"minimum", "", "max"},
    {"maximum", "", "min"},
    {"subtract", "abs", "sum"},
    {"subtract", "abs", "max"},
    {"subtract", "square", "sum"},
    {"subtract", "abs", "sum", "k"},
    {"subtract", "abs", "max", "k"},
    {"subtract", "square", "sum", "k"},
    {"subtract", "abs", "max", "ki"},
    {"subtract", "square", "sum", "ik"},
    {"subtract", "abs", "sum", "i"},
    {"subtract", "abs", "sum", "jk"},
    {"subtract", "abs", "max", "kj"},
    {"subtract", "square", "sum", "kj"},
};

int64_t num_inputs(const Pair& pair) {
  return *pair.weights == 0 ? 2 : 3;
}

constexpr Pair kLogSumExpOfSums = {"add", "", "logsumexp"};

/// out[i, j] = aggregate over k of of_join(join(x[i, k], y[k, j])) * weights.
expr::TileProgram program_of(const Pair& pair, DType dtype, int64_t m, int64_t n, int64_t k) {
  expr::TileProgram program{
      {{"i", m}, {"j", n}, {"k", k}}, static_cast<int32_t>(num_inputs(pair)), {}};
  expr::TileStatement statement;
  statement.out = {0, 1};
  expr::ScalarBuilder builder;
  const int32_t x = builder.access({0, {expr::plain(0), expr::plain(2)}}, dtype);
  const int32_t y = builder.access({1, {expr::plain(2), expr::plain(1)}}, dtype);
  int32_t body = builder.call(pair.join, {x, y}, dtype);
  body = *pair.of_join == 0 ? body : builder.call(pair.of_join, {body}, dtype);
  if (*pair.weights != 0) {
    expr::Access weights{2, {}};
    for (const char label : std::string(pair.weights)) {
      weights.index.push_back(expr::plain(label - 'i'));
    }
    body = builder.call("multiply", {builder.access(weights, dtype), body}, dtype);
  }
  const expr::BoundAggregate bound = expr::all_aggregates().find(pair.aggregate)->bind(dtype);
  for (const expr::Scalar& lift : bound.lift) {
    statement.bodies.push_back(builder.finish(builder.inline_scalar(lift, {body, 0})));
  }
  statement.what = expr::Reduce{bound.monoid, {2}};
  program.statements = {statement};
  return program;
}

CallShape shape_of(const expr::TileProgram& program) {
  CallShape shape;
  for (const expr::LabelDecl& label : program.labels) {
    shape.ranges.push_back({0, label.extent});
  }
  return shape;
}

template <class T>
TestTile tile_of(const Shape& extents, const std::vector<double>& values, uint64_t seed) {
  TestTile tile(std::is_same_v<T, float> ? DType::f32 : DType::f64, whole(extents));
  std::mt19937_64 random(seed);
  for (int64_t element = 0; element < tile.count(); ++element) {
    tile.view().as<T>()[element] = static_cast<T>(values[random() % values.size()]);
  }
  return tile;
}

/// Equal with the sign of zero; NaN equals NaN.
template <class T>
bool same_bits(T a, T b) {
  return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b));
}

/// x, y and the weights of a program of `program_of`. Weights do not make what is added overflow
/// or vanish: there a fused product and sum differ from two that are rounded.
template <class T>
std::vector<TestTile> tiles_of(const Pair& pair, const expr::TileProgram& program,
                               const std::vector<double>& values) {
  const auto extent = [&](char label) {
    return program.labels[static_cast<size_t>(label - 'i')].extent;
  };
  std::vector<TestTile> tiles;
  tiles.push_back(tile_of<T>({extent('i'), extent('k')}, values, 1));
  tiles.push_back(tile_of<T>({extent('k'), extent('j')}, values, 2));
  if (*pair.weights != 0) {
    std::vector<double> weights = values;
    for (double& weight : weights) {
      const bool is_far = std::fabs(weight) > 1e9 || std::fabs(weight) < 1e-9;
      weight = is_far && std::isfinite(weight) && weight != 0 ? std::copysign(1, weight) : weight;
    }
    Shape extents;
    for (const char label : std::string(pair.weights)) {
      extents.push_back(extent(label));
    }
    tiles.push_back(tile_of<T>(extents, weights, 3));
  }
  return tiles;
}

std::vector<TileView> views_of(const std::vector<TestTile>& tiles) {
  std::vector<TileView> views;
  for (const TestTile& tile : tiles) {
    views.push_back(tile.view());
  }
  return views;
}

template <class T>
void expect_as_reference(const Pair& pair, const std::vector<double>& values) {
  const Registry& registry = all_kernels();
  const DType dtype = std::is_same_v<T, float> ? DType::f32 : DType::f64;
  const expr::TileProgram program = program_of(pair, dtype, 9, 37, 3);
  const CallShape shape = shape_of(program);
  const std::vector<TestTile> tiles = tiles_of<T>(pair, program, values);
  const Kernel& kernel = *registry.find("semiring");
  ASSERT_EQ(refusal(kernel, program, shape), "");
  const Outcome outcome = run_kernel(kernel, program, shape, views_of(tiles));
  const Outcome expected = run_kernel(*registry.find("reference"), program, shape, views_of(tiles));
  for (int64_t element = 0; element < 9 * 37; ++element) {
    const T computed = outcome.outputs[0].view().as<T>()[element];
    const T wanted = expected.outputs[0].view().as<T>()[element];
    ASSERT_TRUE(same_bits(computed, wanted))
        << pair.join << " " << pair.of_join << " " << pair.aggregate << " " << pair.weights
        << " at " << element << ": " << computed << ", not " << wanted;
  }
}

TEST(SemiringKernel, KeepsNanInfinitiesAndTheSignOfZero) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::vector<double>> sets = {
      {0.0, -0.0},
      {0.0, -0.0, 1, -1},
      {1, 2, -3},
      {1, kNan},
      {kInfinity, 1, 2},
      {-kInfinity, 1, 0},
      {kInfinity, 0, -0.0},
      {kInfinity, -kInfinity, 1},
      {kNan, kInfinity, -kInfinity, 0.0, -0.0, 1},
      {0x1p-100, -0x1p-100, 0x1p100, -0x1p100},
  };
  for (const Pair& pair : kPairs) {
    for (const std::vector<double>& values : sets) {
      expect_as_reference<float>(pair, values);
      expect_as_reference<double>(pair, values);
    }
  }
}

TEST(SemiringKernel, AgreesWithTheBlockedEvaluatorBeyondOnePanel) {
  const Registry& registry = all_kernels();
  for (const Pair& pair : kPairs) {
    const expr::TileProgram program = program_of(pair, DType::f32, 131, 1030, 259);
    CallShape shape = shape_of(program);
    const std::vector<TestTile> tiles = tiles_of<float>(pair, program, {-2, -1, 0, 1, 2, 3});
    for (shape.accumulate = false;; shape.accumulate = true) {
      const Outcome outcome =
          run_kernel(*registry.find("semiring"), program, shape, views_of(tiles));
      const Outcome expected =
          run_kernel(*registry.find("blocked_evaluator"), program, shape, views_of(tiles));
      EXPECT_EQ(first_difference(outcome.outputs[0], expected.outputs[0]), -1)
          << pair.join << " " << pair.weights;
      if (shape.accumulate) {
        break;
      }
    }
  }
}

/// Of the outputs of both, one after the other.
int64_t first_difference_of(const Outcome& a, const Outcome& b) {
  for (size_t output = 0; output < a.outputs.size(); ++output) {
    if (const int64_t element = first_difference(a.outputs[output], b.outputs[output]);
        element >= 0) {
      return element;
    }
  }
  return -1;
}

TEST(SemiringKernel, HasTheSameBitsOnEveryInstructionSet) {
  std::vector<double> values;
  std::mt19937_64 random(5);
  for (int number = 0; number < 1000; ++number) {
    values.push_back(static_cast<double>(random() % 1'000'003) / 1e6 - 0.3);
  }
  std::vector<Pair> pairs(std::begin(kPairs), std::end(kPairs));
  pairs.push_back(kLogSumExpOfSums);
  for (const Pair& pair : pairs) {
    const expr::TileProgram program = program_of(pair, DType::f32, 19, 70, 600);
    const CallShape shape = shape_of(program);
    const std::vector<TestTile> tiles = tiles_of<float>(pair, program, values);
    std::optional<Outcome> scalar;
    for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512}) {
      if (isa > known().machine.isa) {
        continue;
      }
      Machine machine = known().machine;
      machine.isa = isa;
      const Context context{known().functions, known().aggregates, all_kernels(), machine};
      Outcome outcome =
          run_kernel(*all_kernels().find("semiring"), program, shape, views_of(tiles), context);
      if (scalar) {
        EXPECT_EQ(first_difference_of(outcome, *scalar), -1)
            << pair.join << " " << pair.of_join << " " << pair.aggregate << " " << pair.weights;
      } else {
        scalar = std::move(outcome);
      }
    }
  }
}

/// numpy's sum along the last axis: blocks of 128 numbers in eight lanes, merged pairwise.
float pairwise_sum(const float* numbers, int64_t count) {
  if (count > 128) {
    const int64_t half = count / 2 / 8 * 8;
    return pairwise_sum(numbers, half) + pairwise_sum(numbers + half, count - half);
  }
  float lanes[8] = {};
  for (int64_t number = 0; number < count; ++number) {
    lanes[number % 8] += numbers[number];
  }
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
         ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

/// The root of the mean of squared relative errors, of the kernel and of pairwise sums.
std::pair<double, double> errors_of_square_sums(const std::vector<double>& values, int64_t k) {
  const Pair pair = {"subtract", "square", "sum"};
  const expr::TileProgram program = program_of(pair, DType::f32, 12, 64, k);
  const std::vector<TestTile> tiles = tiles_of<float>(pair, program, values);
  const Outcome outcome =
      run_kernel(*all_kernels().find("semiring"), program, shape_of(program), views_of(tiles));
  double ours = 0;
  double pairwise = 0;
  std::vector<float> terms(static_cast<size_t>(k));
  for (int64_t i = 0; i < 12; ++i) {
    for (int64_t j = 0; j < 64; ++j) {
      double exact = 0;
      for (int64_t d = 0; d < k; ++d) {
        const float x = tiles[0].view().as<float>()[i * k + d];
        const float y = tiles[1].view().as<float>()[d * 64 + j];
        terms[static_cast<size_t>(d)] = (x - y) * (x - y);
        exact += (double(x) - double(y)) * (double(x) - double(y));
      }
      const double computed = outcome.outputs[0].view().as<float>()[i * 64 + j];
      ours += std::pow((computed - exact) / exact, 2);
      pairwise += std::pow((pairwise_sum(terms.data(), k) - exact) / exact, 2);
    }
  }
  return {std::sqrt(ours / 768), std::sqrt(pairwise / 768)};
}

TEST(SemiringKernel, SumsAsExactlyAsPairwiseSumsDo) {
  std::vector<double> uniform;
  std::vector<double> spread;
  std::mt19937_64 random(11);
  for (int number = 0; number < 5000; ++number) {
    const double drawn = static_cast<double>(random() % (1U << 24)) / (1U << 24);
    uniform.push_back(drawn);
    spread.push_back(std::exp2(20 * drawn));
  }
  for (const std::vector<double>& values : {uniform, spread}) {
    for (const int64_t k : {1000, 20000}) {
      const auto [ours, pairwise] = errors_of_square_sums(values, k);
      EXPECT_LE(ours, 1.1 * pairwise) << "k = " << k;  // of 768 sums, so within some percent
    }
  }
}

/// largest + log(sum), as the aggregate finishes its two states.
template <class T>
T logsumexp_at(const Outcome& outcome, int64_t element) {
  return outcome.outputs[0].view().as<T>()[element] +
         std::log(outcome.outputs[1].view().as<T>()[element]);
}

/// As the reference has it in f64, within `tolerance` of 1 or, where it is larger, of the value.
template <class T>
void expect_logsumexp(const std::vector<double>& values, int64_t k, double tolerance) {
  const DType dtype = std::is_same_v<T, float> ? DType::f32 : DType::f64;
  const expr::TileProgram program = program_of(kLogSumExpOfSums, dtype, 7, 70, k);
  const expr::TileProgram wide = program_of(kLogSumExpOfSums, DType::f64, 7, 70, k);
  const CallShape shape = shape_of(program);
  const std::vector<TestTile> tiles = tiles_of<T>(kLogSumExpOfSums, program, values);
  const std::vector<TestTile> wide_tiles = tiles_of<double>(kLogSumExpOfSums, wide, values);
  const Outcome outcome =
      run_kernel(*all_kernels().find("semiring"), program, shape, views_of(tiles));
  const Outcome expected =
      run_kernel(*all_kernels().find("reference"), wide, shape, views_of(wide_tiles));
  for (int64_t element = 0; element < 7 * 70; ++element) {
    const double computed = logsumexp_at<T>(outcome, element);
    const double wanted = logsumexp_at<double>(expected, element);
    ASSERT_TRUE(same_number(computed, wanted) ||
                std::fabs(computed - wanted) <= tolerance * std::max(1.0, std::fabs(wanted)))
        << "at " << element << ": " << computed << ", not " << wanted;
  }
}

TEST(SemiringKernel, AddsExponentialsWithNanAndInfinities) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::vector<double>> sets = {{0},
                                                 {0.5, -0.25, 3},
                                                 {-kInfinity},
                                                 {-kInfinity, 1, 2},
                                                 {kNan, 1},
                                                 {kInfinity, 1},
                                                 {kInfinity, -kInfinity},
                                                 {-0x1p100, 0x1p100, 0},
                                                 {-300, 0, 80}};
  for (const std::vector<double>& values : sets) {
    for (const int64_t k : {1, 3, 300}) {
      expect_logsumexp<float>(values, k, 2e-7);
      expect_logsumexp<double>(values, k, 2e-15);
    }
  }
}

/// Of two calls one after the other, as where the label is cut.
TEST(SemiringKernel, GoesOnWithWhatExponentialsWereAdded) {
  const expr::TileProgram program = program_of(kLogSumExpOfSums, DType::f32, 7, 70, 10);
  const std::vector<TestTile> tiles = tiles_of<float>(kLogSumExpOfSums, program, {1, 2, 3});
  CallShape shape = shape_of(program);
  shape.accumulate = true;  // into drawn states
  const Outcome outcome =
      run_kernel(*all_kernels().find("semiring"), program, shape, views_of(tiles));
  const Outcome expected =
      run_kernel(*all_kernels().find("reference"), program, shape, views_of(tiles));
  for (int64_t element = 0; element < 7 * 70; ++element) {
    EXPECT_EQ(outcome.outputs[0].view().as<float>()[element],
              expected.outputs[0].view().as<float>()[element]);
    EXPECT_NEAR(outcome.outputs[1].view().as<float>()[element],
                expected.outputs[1].view().as<float>()[element], 1e-5);
  }
}

TEST(SemiringKernel, RefusesWithAReason) {
  const Registry& registry = all_kernels();
  const Kernel& kernel = *registry.find("semiring");
  const auto reason = [&](const expr::TileProgram& program) {
    return refusal(kernel, program, shape_of(program));
  };
  EXPECT_EQ(reason(program_of({"add", "", "sum"}, DType::f32, 2, 2, 2)),
            "there is no tile that merges add of f32 by add");
  EXPECT_EQ(reason(program_of({"add", "", "argmin"}, DType::f32, 2, 2, 2)),
            "its aggregate is not one function of one state");
  EXPECT_EQ(reason(program_of({"add", "", "max", "k"}, DType::f32, 2, 2, 2)),
            "there is no tile that merges weighted add of f32 by maximum");
  EXPECT_EQ(reason(program_of({"subtract", "abs", "max", "ij"}, DType::f32, 2, 2, 2)),
            "its weights have labels of either operand that the other has not");
  expr::TileProgram program = program_of({"add", "", "min"}, DType::f32, 2, 2, 2);
  program.statements[0].what = expr::Map{};
  EXPECT_EQ(reason(program), "it is not one reduction");
}

}  // namespace

}  // namespace tessera::kernels::semiring_kernel_test
