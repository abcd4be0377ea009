#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "types/half.h"
#include "unit/known.h"

namespace tessera::kernels::reference_interpreter_test {
namespace {

using expr::LabelNumber;
using expr::ScalarBuilder;

/// A tile that owns its elements.
template <class T>
struct Tile {
  std::vector<T> values;
  TileView view;

  Tile(DType dtype, const Shape& shape, std::vector<T> elements, std::vector<int64_t> origin = {})
      : values(std::move(elements)) {
    values.resize(std::max<size_t>(values.size(), static_cast<size_t>(num_elements(shape))));
    origin.resize(shape.size());
    view = dense_view(reinterpret_cast<std::byte*>(values.data()), dtype, {origin, shape});
  }
};

std::vector<float> counting(int64_t count, float start = 0) {
  std::vector<float> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), start);
  return values;
}

std::vector<expr::Index> plain_index(const std::vector<LabelNumber>& labels) {
  std::vector<expr::Index> index;
  for (const LabelNumber label : labels) {
    index.push_back(expr::plain(label));
  }
  return index;
}

expr::BoundAggregate bind_aggregate(const std::string& name, DType dtype) {
  return expr::all_aggregates().find(name)->bind(dtype);
}

/// Runs a program with the reference kernel over ranges that start at `begin` (0 if empty).
Status run(const expr::TileProgram& program, const std::vector<TileView>& inputs,
           const std::vector<TileView>& outputs, bool accumulate = false,
           const std::vector<int64_t>& begin = {}) {
  CallShape shape{{}, accumulate};
  for (size_t label = 0; label < program.labels.size(); ++label) {
    const int64_t first = begin.empty() ? 0 : begin[label];
    shape.ranges.push_back({first, program.labels[label].extent - first});
  }
  const OrRefusal<KernelPlan> plan =
      known().kernels.find("reference")->read(program, shape, known().context);
  EXPECT_EQ(plan.reason(), "");
  std::vector<std::byte> memory(static_cast<size_t>(plan->workspace_bytes) + 64, std::byte{0xAB});
  void* aligned = memory.data();
  size_t space = memory.size();
  std::align(64, space - 64, aligned, space);
  return plan->prepare()->run(
      {inputs, outputs, shape.ranges, accumulate, static_cast<std::byte*>(aligned)});
}

/// out[labels] = aggregate[over] body, lifted.
expr::TileStatement reduction(const expr::BoundAggregate& aggregate, std::vector<LabelNumber> out,
                              const std::vector<LabelNumber>& over, const expr::Scalar& element) {
  expr::TileStatement statement{std::move(out), {}, expr::Reduce{aggregate.monoid, over}};
  for (const expr::Scalar& lift : aggregate.lift) {
    ScalarBuilder builder;
    const int32_t value = builder.inline_scalar(element, {});
    const int32_t position = builder.index_of(over.empty() ? 0 : over.back());
    statement.bodies.push_back(builder.finish(builder.inline_scalar(lift, {value, position})));
  }
  return statement;
}

expr::Scalar product(const std::vector<LabelNumber>& left, const std::vector<LabelNumber>& right,
                     DType dtype) {
  ScalarBuilder builder;
  const int32_t a = builder.access({0, plain_index(left)}, dtype);
  const int32_t b = builder.access({1, plain_index(right)}, dtype);
  return builder.finish(builder.call("multiply", {a, b}, dtype));
}

expr::TileProgram matmul(int64_t rows, int64_t inner, int64_t columns, DType dtype) {
  const expr::BoundAggregate sum = bind_aggregate("sum", dtype);
  expr::TileProgram program{{{"i", rows}, {"k", columns}, {"j", inner}}, 2, {}};
  program.statements.push_back(reduction(sum, {0, 1}, {2}, product({0, 2}, {2, 1}, dtype)));
  return program;
}

std::vector<float> multiply_naively(const std::vector<float>& a, const std::vector<float>& b,
                                    size_t size) {
  std::vector<float> c(size * size);
  for (size_t i = 0; i < size; ++i) {
    for (size_t j = 0; j < size; ++j) {
      for (size_t k = 0; k < size; ++k) {
        c[i * size + k] += a[i * size + j] * b[j * size + k];
      }
    }
  }
  return c;
}

TEST(ReferenceInterpreter, MultipliesEightByEight) {
  Tile<float> a(DType::f32, {8, 8}, counting(64));
  Tile<float> b(DType::f32, {8, 8}, counting(64, -20));
  Tile<float> c(DType::f32, {8, 8}, {});
  ASSERT_EQ(run(matmul(8, 8, 8, DType::f32), {a.view, b.view}, {c.view}), Status::ok);
  EXPECT_EQ(c.values, multiply_naively(a.values, b.values, 8));
}

TEST(ReferenceInterpreter, AccumulatesIntoTheOutput) {
  Tile<float> a(DType::f32, {8, 8}, counting(64));
  Tile<float> c(DType::f32, {8, 8}, counting(64));
  ASSERT_EQ(run(matmul(8, 8, 8, DType::f32), {a.view, a.view}, {c.view}, true), Status::ok);
  std::vector<float> wanted = multiply_naively(a.values, a.values, 8);
  for (size_t e = 0; e < wanted.size(); ++e) {
    wanted[e] += static_cast<float>(e);
  }
  EXPECT_EQ(c.values, wanted);
}

TEST(ReferenceInterpreter, ReadsStridedInputsInGlobalCoordinates) {
  // Rows 2.. and columns 4.. of a larger tensor, whose tile holds it whole; b is read transposed
  // through its strides.
  Tile<float> a(DType::f32, {4, 6}, counting(24));
  Tile<float> b(DType::f32, {6, 6}, counting(36));
  std::swap(b.view.strides[0], b.view.strides[1]);
  Tile<float> c(DType::f32, {2, 3}, {}, {2, 3});
  const TileView part = subview(a.view, {{2, 4}, {2, 2}});
  ASSERT_EQ(run(matmul(4, 6, 6, DType::f32), {part, b.view}, {c.view}, false, {2, 3, 4}),
            Status::ok);
  for (size_t i = 2; i < 4; ++i) {
    for (size_t k = 3; k < 6; ++k) {
      const float wanted =
          a.values[i * 6 + 4] * b.values[k * 6 + 4] + a.values[i * 6 + 5] * b.values[k * 6 + 5];
      EXPECT_EQ(c.values[(i - 2) * 3 + k - 3], wanted);
    }
  }
}

TEST(ReferenceInterpreter, ComputesEveryDtypeOfAProduct) {
  for (const DType dtype : all_dtypes()) {
    const expr::BoundAggregate sum = bind_aggregate("sum", dtype);
    const DType out = sum.monoid.state[0];
    // Every element is one: 1*1 + 1*1 is 2, or true.
    std::vector<std::byte> ones(static_cast<size_t>(4 * size_of(dtype)));
    const TileView one = dense_view(ones.data(), dtype, whole({2, 2}));
    ScalarBuilder constant;
    expr::TileProgram fill{{{"i", 2}, {"j", 2}}, 0, {}};
    fill.statements.push_back({{0, 1}, {constant.finish(constant.constant(int64_t{1}, dtype))}});
    ASSERT_EQ(run(fill, {}, {one}), Status::ok);
    std::vector<std::byte> result(static_cast<size_t>(4 * size_of(out)));
    const TileView results = dense_view(result.data(), out, whole({2, 2}));
    ASSERT_EQ(run(matmul(2, 2, 2, dtype), {one, one}, {results}), Status::ok) << name_of(dtype);
    double value = 0;
    Tile<double> wide(DType::f64, {2, 2}, {});
    ScalarBuilder cast;
    const int32_t read = cast.access({0, plain_index({0, 1})}, out);
    expr::TileProgram widen{{{"i", 2}, {"j", 2}}, 1, {}};
    widen.statements.push_back({{0, 1}, {cast.finish(cast.cast(read, DType::f64))}});
    ASSERT_EQ(run(widen, {results}, {wide.view}), Status::ok);
    value = wide.values[3];
    EXPECT_EQ(value, is_bool(dtype) ? 1 : 2) << name_of(dtype);
  }
}

/// C[i] = max X; E = exp(X - C); S[i] = sum E; Y = E / S, in one program.
expr::TileProgram softmax(int64_t rows, int64_t columns) {
  const DType f32 = DType::f32;
  const auto rows_index = plain_index({0});
  const auto both = plain_index({0, 1});
  expr::TileProgram program{{{"i", rows}, {"j", columns}}, 1, {}};
  program.statements.push_back(
      reduction(bind_aggregate("max", f32), {0}, {1}, expr::scalar_of({0, both}, f32)));
  ScalarBuilder shifted;
  const int32_t difference = shifted.call(
      "subtract", {shifted.access({0, both}, f32), shifted.access({1, rows_index}, f32)}, f32);
  program.statements.push_back({{0, 1}, {shifted.finish(shifted.call("exp", {difference}, f32))}});
  program.statements.push_back(
      reduction(bind_aggregate("sum", f32), {0}, {1}, expr::scalar_of({2, both}, f32)));
  ScalarBuilder ratio;
  const int32_t quotient =
      ratio.call("divide", {ratio.access({2, both}, f32), ratio.access({3, rows_index}, f32)}, f32);
  program.statements.push_back({{0, 1}, {ratio.finish(quotient)}});
  return program;
}

TEST(ReferenceInterpreter, RunsTheStatementsOfSoftmaxInOneProgram) {
  Tile<float> x(DType::f32, {2, 3}, {1, 1, 1, 0, 0, -INFINITY});
  Tile<float> y(DType::f32, {2, 3}, {});
  ASSERT_EQ(run(softmax(2, 3), {x.view}, {y.view}), Status::ok);
  const float third = 1.0f / 3.0f;
  EXPECT_EQ(y.values, (std::vector<float>{third, third, third, 0.5f, 0.5f, 0}));
}

TEST(ReferenceInterpreter, RunsAnIntermediateAwayFromTheOrigin) {
  Tile<float> x(DType::f32, {1, 3}, {1, 1, 1}, {1, 0});
  Tile<float> y(DType::f32, {1, 3}, {}, {1, 0});
  ASSERT_EQ(run(softmax(2, 3), {x.view}, {y.view}, false, {1, 0}), Status::ok);
  EXPECT_EQ(y.values, std::vector<float>(3, 1.0f / 3.0f));
}

/// Reduces a vector to its state and finalises it: the whole of an aggregate.
template <class Result, class T>
Result aggregate(const std::string& name, DType dtype, const std::vector<T>& elements) {
  const expr::BoundAggregate bound = bind_aggregate(name, dtype);
  Tile<T> x(dtype, {static_cast<int64_t>(elements.size())}, elements);
  expr::TileProgram program{{{"j", static_cast<int64_t>(elements.size())}}, 1, {}};
  program.statements.push_back(
      reduction(bound, {}, {0}, expr::scalar_of({0, plain_index({0})}, dtype)));
  ScalarBuilder builder;
  std::vector<int32_t> states;
  for (size_t entry = 0; entry < bound.monoid.state.size(); ++entry) {
    states.push_back(
        builder.access({static_cast<int32_t>(1 + entry), {}}, bound.monoid.state[entry]));
  }
  program.statements.push_back(
      {{}, {builder.finish(builder.inline_scalar(bound.finalise, states))}});
  Tile<Result> result(bound.result(), {}, {});
  EXPECT_EQ(run(program, {x.view}, {result.view}), Status::ok);
  return result.values[0];
}

TEST(ReferenceInterpreter, AggregatesAsNumpy) {
  using F64 = std::vector<double>;
  using F32 = std::vector<float>;
  EXPECT_EQ((aggregate<double>("mean", DType::f64, F64{1, 2, 6})), 3);
  EXPECT_EQ((aggregate<double>("mean", DType::i32, std::vector<int32_t>{1, 2})), 1.5);
  EXPECT_TRUE(std::isnan(aggregate<double>("mean", DType::f64, F64{})));
  EXPECT_EQ((aggregate<float>("prod", DType::f32, F32{2, 3, 7})), 42);
  EXPECT_EQ((aggregate<int64_t>("argmax", DType::f32, F32{1, 5, 5})), 1);
  EXPECT_EQ((aggregate<int64_t>("argmax", DType::f32, F32{1, NAN, 5, NAN})), 1);
  EXPECT_EQ((aggregate<int64_t>("argmin", DType::f32, F32{INFINITY, INFINITY})), 0);
  EXPECT_EQ((aggregate<int64_t>("argmin", DType::u8, std::vector<uint8_t>{255, 255, 3, 3})), 2);
  EXPECT_TRUE(std::isnan(aggregate<float>("max", DType::f32, F32{1, NAN, 2})));
  EXPECT_EQ(
      (aggregate<uint64_t>("min", DType::u64, std::vector<uint64_t>{~uint64_t{0}, ~uint64_t{0}})),
      ~uint64_t{0});
  EXPECT_EQ((aggregate<int64_t>("max", DType::i64, std::vector<int64_t>{INT64_MIN})), INT64_MIN);
  EXPECT_EQ((aggregate<char>("any", DType::f32, F32{0, NAN})), 1);
  EXPECT_EQ((aggregate<char>("all", DType::f32, F32{})), 1);
}

TEST(ReferenceInterpreter, LogSumExpNeitherOverflowsNorLosesInfinities) {
  using F64 = std::vector<double>;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto of = [](const F64& x) { return aggregate<double>("logsumexp", DType::f64, x); };
  EXPECT_EQ(of({}), -kInfinity);
  EXPECT_EQ(of({-kInfinity, -kInfinity}), -kInfinity);
  EXPECT_EQ(of({1, kInfinity, kInfinity}), kInfinity);
  EXPECT_EQ(of({-kInfinity, 3}), 3);
  EXPECT_TRUE(std::isnan(of({1, std::nan("")})));
  EXPECT_TRUE(std::isnan(of({std::nan(""), -kInfinity})));
  EXPECT_NEAR(of({1000, 1000}), 1000 + std::log(2.0), 1e-12);
}

TEST(ReferenceInterpreter, HalfPrecisionIsSummedInFloatAndRoundedOnce) {
  const std::vector<Float16> ones(
      3000, Float16(1.0f));  // past 2048 a running f16 sum of ones would stand still
  EXPECT_EQ(static_cast<float>(aggregate<Float16>("sum", DType::f16, ones)), 3000);
  const std::vector<BFloat16> more(300, BFloat16(1.0f));
  EXPECT_EQ(static_cast<float>(aggregate<BFloat16>("sum", DType::bf16, more)), 300);
}

/// out[i] = x[2*i + 1], a window; out[i] = x[i,i], a diagonal; out[i] = x[0] + index(i), a
/// broadcast.
TEST(ReferenceInterpreter, FollowsAffineIndices) {
  Tile<float> x(DType::f32, {7}, counting(7));
  Tile<float> window(DType::f32, {3}, {});
  expr::TileProgram program{{{"i", 3}}, 1, {}};
  program.statements = {{{0}, {expr::scalar_of({0, {expr::affine({{{0, 2}}, 1})}}, DType::f32)}}};
  ASSERT_EQ(run(program, {x.view}, {window.view}), Status::ok);
  EXPECT_EQ(window.values, (std::vector<float>{1, 3, 5}));
  program.labels[0].extent = 4;
  Tile<float> beyond(DType::f32, {4}, {});
  EXPECT_EQ(run(program, {x.view}, {beyond.view}), Status::out_of_range);

  Tile<float> square(DType::f32, {3, 3}, counting(9));
  program.labels[0].extent = 3;
  program.statements = {{{0}, {expr::scalar_of({0, plain_index({0, 0})}, DType::f32)}}};
  ASSERT_EQ(run(program, {square.view}, {window.view}), Status::ok);
  EXPECT_EQ(window.values, (std::vector<float>{0, 4, 8}));

  Tile<float> single(DType::f32, {1}, {10});
  ScalarBuilder builder;
  const int32_t base = builder.access({0, {expr::fixed(0)}}, DType::f32);
  const int32_t position = builder.cast(builder.index_of(0), DType::f32);
  program.statements = {{{0}, {builder.finish(builder.call("add", {base, position}, DType::f32))}}};
  Tile<float> tail(DType::f32, {2}, {}, {1});
  ASSERT_EQ(run(program, {single.view}, {tail.view}, false, {1}), Status::ok);
  EXPECT_EQ(tail.values, (std::vector<float>{11, 12}));
}

TEST(ReferenceInterpreter, ManyModesAndNoElements) {
  Tile<float> x(DType::f32, Shape(27, 1), {5});
  expr::TileProgram program{{}, 1, {}};
  std::vector<LabelNumber> labels;
  for (LabelNumber label = 0; label < 27; ++label) {
    program.labels.push_back({"l" + std::to_string(label), 1});
    labels.push_back(label);
  }
  program.statements = {reduction(bind_aggregate("sum", DType::f32), {}, labels,
                                  expr::scalar_of({0, plain_index(labels)}, DType::f32))};
  Tile<float> total(DType::f32, {}, {});
  ASSERT_EQ(run(program, {x.view}, {total.view}), Status::ok);
  EXPECT_EQ(total.values[0], 5);

  Tile<float> empty(DType::f32, {0, 8}, {});
  Tile<float> wide(DType::f32, {8, 8}, counting(64));
  EXPECT_EQ(run(matmul(0, 8, 8, DType::f32), {empty.view, wide.view}, {empty.view}), Status::ok);
  Tile<float> zeros(DType::f32, {2, 2}, {7, 7, 7, 7});
  Tile<float> thin(DType::f32, {2, 0}, {});
  EXPECT_EQ(run(matmul(2, 0, 2, DType::f32), {thin.view, thin.view}, {zeros.view}), Status::ok);
  EXPECT_EQ(zeros.values, std::vector<float>(4, 0.0f));
}

TEST(ReferenceInterpreter, FaultsOfTheDataComeBackAsAStatus) {
  ScalarBuilder builder;
  const int32_t x = builder.access({0, plain_index({0})}, DType::i32);
  const int32_t zero = builder.constant(int64_t{0}, DType::i32);
  expr::TileProgram program{{{"i", 2}}, 1, {}};
  program.statements = {{{0}, {builder.finish(builder.call("remainder", {x, zero}, DType::i32))}}};
  Tile<int32_t> input(DType::i32, {2}, {1, 2});
  Tile<int32_t> output(DType::i32, {2}, {});
  EXPECT_EQ(run(program, {input.view}, {output.view}), Status::integer_division_by_zero);
}

TEST(ReferenceInterpreter, AnElementwiseResultMayReplaceItsInput) {
  ScalarBuilder builder;
  const int32_t x = builder.access({0, plain_index({0})}, DType::f32);
  expr::TileProgram program{{{"i", 3}}, 1, {}};
  program.statements = {{{0}, {builder.finish(builder.call("square", {x}, DType::f32))}}};
  Tile<float> tile(DType::f32, {3}, {1, 2, 3});
  ASSERT_EQ(run(program, {tile.view}, {tile.view}), Status::ok);
  EXPECT_EQ(tile.values, (std::vector<float>{1, 4, 9}));
}

TEST(ReferenceInterpreter, MergesPartialStates) {
  const expr::BoundAggregate argmax = bind_aggregate("argmax", DType::f32);
  const expr::TileProgram program = expr::combine_program(argmax.monoid, {{"i", 3}});
  Tile<float> left(DType::f32, {3}, {1, 5, 2});
  Tile<int64_t> left_at(DType::i64, {3}, {7, 8, 9});
  Tile<float> right(DType::f32, {3}, {2, 5, NAN});
  Tile<int64_t> right_at(DType::i64, {3}, {0, 1, 2});
  ASSERT_EQ(
      run(program, {left.view, left_at.view, right.view, right_at.view}, {left.view, left_at.view}),
      Status::ok);
  EXPECT_EQ(left_at.values, (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(left.values[0], 2);
}

TEST(ReferenceInterpreter, AccumulatingAPlainStatementIsRefused) {
  expr::TileProgram program = softmax(2, 2);
  CallShape shape{{{0, 2}, {0, 2}}, true};
  EXPECT_EQ(known().kernels.find("reference")->read(program, shape, known().context).reason(),
            "there is no aggregate to accumulate with");
}

}  // namespace
}  // namespace tessera::kernels::reference_interpreter_test
