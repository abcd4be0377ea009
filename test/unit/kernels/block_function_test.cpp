#include "kernels/block_function.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "types/native.h"

namespace tessera::kernels::block_function_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Every instruction set that this machine has.
std::vector<Isa> all_isas() {
  std::vector<Isa> isas = {Isa::scalar};
  for (const Isa isa : {Isa::avx2, Isa::avx512}) {
    if (isa <= widest_isa()) {
      isas.push_back(isa);
    }
  }
  return isas;
}

/// A block of values, repeated as often as a block is long: every vector lane sees every value.
template <class T>
struct Block {
  alignas(64) std::array<T, kBlock> values{};

  Block() = default;
  explicit Block(const std::vector<T>& repeated) {
    for (size_t e = 0; e < values.size(); ++e) {
      values[e] = repeated[e % repeated.size()];
    }
  }
};

template <class T>
DType dtype_of() {
  for (const DType dtype : all_dtypes()) {
    const bool is_same = visit_storage_type(
        dtype, [](auto type) { return std::is_same_v<typename decltype(type)::type, T>; });
    if (is_same) {
      return dtype;
    }
  }
  return DType::f32;
}

/// The function on every tuple of arguments, on one instruction set; the whole block must agree
/// with itself.
template <class Result, class... Arguments>
std::vector<Result> apply_to(const std::string& function, Isa isa,
                             const std::vector<Arguments>&... arguments) {
  const size_t count = std::max({arguments.size()...});
  const auto code =
      find_block_function(function, {{dtype_of<Arguments>()...}, dtype_of<Result>()}, isa);
  EXPECT_NE(code, nullptr) << function;
  Block<Result> result;
  const auto run = [&](const auto&... blocks) {
    const std::array<const void*, sizeof...(Arguments)> addresses = {blocks.values.data()...};
    EXPECT_EQ(code(addresses.data(), result.values.data(), kBlock), Status::ok) << function;
  };
  run(Block<Arguments>(arguments)...);
  return std::vector<Result>(result.values.begin(),
                             result.values.begin() + static_cast<int64_t>(count));
}

/// The distance of two floats in units in the last place of the wanted one; 0 where both are NaN.
template <class T>
double ulp_distance(T got, long double wanted) {
  if (std::isnan(wanted) || std::isnan(got)) {
    return std::isnan(wanted) && std::isnan(got) ? 0 : kInfinity;
  }
  if (std::isinf(static_cast<T>(wanted)) || std::isinf(got)) {
    return static_cast<T>(wanted) == got ? 0 : kInfinity;
  }
  int exponent = 0;
  std::frexp(std::max(std::fabs(static_cast<T>(wanted)), std::numeric_limits<T>::min()), &exponent);
  const long double ulp = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - wanted) / ulp);
}

struct Inexact {
  std::string name;
  long double (*exact)(long double);
  double low;  // the arguments drawn, for f32 and f64
  double high;
};

long double sigmoid(long double x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}
long double softplus(long double x) {
  return std::log1p(std::exp(-std::fabs(x))) + std::max(x, 0.0L);
}

const std::vector<Inexact>& inexact_functions() {
  using Long = long double;
  static const std::vector<Inexact> functions = {
      {"exp", [](Long x) { return std::exp(x); }, -110, 100},
      {"exp2", [](Long x) { return std::exp2(x); }, -160, 130},
      {"expm1", [](Long x) { return std::expm1(x); }, -20, 100},
      {"log", [](Long x) { return std::log(x); }, 0, 100},
      {"log2", [](Long x) { return std::log2(x); }, 0, 100},
      {"log10", [](Long x) { return std::log10(x); }, 0, 100},
      {"log1p", [](Long x) { return std::log1p(x); }, -1, 100},
      {"sin", [](Long x) { return std::sin(x); }, -1e6, 1e6},
      {"cos", [](Long x) { return std::cos(x); }, -1e6, 1e6},
      {"tan", [](Long x) { return std::tan(x); }, -1e6, 1e6},
      {"asin", [](Long x) { return std::asin(x); }, -1.1, 1.1},
      {"acos", [](Long x) { return std::acos(x); }, -1.1, 1.1},
      {"atan", [](Long x) { return std::atan(x); }, -20, 20},
      {"sinh", [](Long x) { return std::sinh(x); }, -90, 90},
      {"cosh", [](Long x) { return std::cosh(x); }, -90, 90},
      {"tanh", [](Long x) { return std::tanh(x); }, -20, 20},
      {"asinh", [](Long x) { return std::asinh(x); }, -100, 100},
      {"acosh", [](Long x) { return std::acosh(x); }, -10, 100},
      {"atanh", [](Long x) { return std::atanh(x); }, -1.1, 1.1},
      {"erf", [](Long x) { return std::erf(x); }, -8, 8},
      {"erfc", [](Long x) { return std::erfc(x); }, -8, 12},
      {"cbrt", [](Long x) { return std::cbrt(x); }, -1000, 1000},
      {"sqrt", [](Long x) { return std::sqrt(x); }, -1, 1000},
      {"rsqrt", [](Long x) { return 1 / std::sqrt(x); }, -1, 1000},
      {"sigmoid", sigmoid, -120, 50},
      {"softplus", softplus, -120, 120},
      {"silu", [](Long x) { return x * sigmoid(x); }, -80, 80},
  };
  return functions;
}

/// Arguments at which functions change their minds.
template <class T>
std::vector<T> special_values() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (const T value : {T(0), T(1), Limits::infinity(), Limits::denorm_min(),
                        Limits::denorm_min() * 1000, Limits::min(), Limits::max(), T(0.5), T(2),
                        T(88), T(88.7), T(103), T(709.7), T(745), T(1e-8), T(1e5), T(1e15)}) {
    values.push_back(value);
    values.push_back(-value);
  }
  values.push_back(Limits::quiet_NaN());
  return values;
}

template <class T>
void expect_accurate(const Inexact& function, const std::vector<T>& arguments, Isa isa) {
  constexpr double kMaxUlp = 4;
  const std::vector<T> results = apply_to<T>(function.name, isa, arguments);
  for (size_t e = 0; e < arguments.size(); ++e) {
    const long double wanted = function.exact(static_cast<long double>(arguments[e]));
    EXPECT_LE(ulp_distance(results[e], wanted), kMaxUlp)
        << function.name << "(" << arguments[e] << ") = " << results[e] << " on isa "
        << static_cast<int>(isa);
  }
}

template <class T>
void expect_accurate_on_all_isas() {
  std::mt19937_64 generator(7);
  for (const Inexact& function : inexact_functions()) {
    std::uniform_real_distribution<double> draw(function.low, function.high);
    std::vector<T> wide(kBlock);
    std::generate(wide.begin(), wide.end(), [&] { return static_cast<T>(draw(generator)); });
    std::vector<T> near_zero = wide;
    std::transform(wide.begin(), wide.end(), near_zero.begin(),
                   [&](T x) { return x / static_cast<T>(function.high); });
    for (const Isa isa : all_isas()) {
      expect_accurate(function, wide, isa);
      expect_accurate(function, near_zero, isa);
      if (function.name != "silu") {  // x * sigmoid(x) is as coarse as sigmoid where that is
                                      // subnormal; -inf gives NaN
        expect_accurate(function, special_values<T>(), isa);
      }
    }
  }
}

TEST(BlockFunction, FloatsAreWithinFourUlpOfTheLibrary) {
  expect_accurate_on_all_isas<float>();
}
TEST(BlockFunction, DoublesAreWithinFourUlpOfTheLibrary) {
  expect_accurate_on_all_isas<double>();
}

TEST(BlockFunction, GeluKeepsTheTail) {
  // x / sqrt(2) is rounded before erfc, whose relative slope there is x*x.
  for (const Isa isa : all_isas()) {
    const std::vector<double> x = {-30, -10, -3, -1, -0.0, 0, 0.5, 3, 40};
    const std::vector<double> results = apply_to<double>("gelu", isa, x);
    for (size_t e = 0; e < x.size(); ++e) {
      const long double wanted =
          0.5L * x[e] * std::erfc(-static_cast<long double>(x[e]) / std::sqrt(2.0L));
      EXPECT_LE(ulp_distance(results[e], wanted), 4 + 2 * x[e] * x[e]) << x[e];
    }
  }
}

TEST(BlockFunction, ZerosKeepTheirSign) {
  for (const std::string function :
       {"expm1", "log1p", "sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "erf",
        "cbrt", "sqrt", "floor", "ceil", "trunc", "round"}) {
    for (const Isa isa : all_isas()) {
      const std::vector<double> results =
          apply_to<double>(function, isa, std::vector<double>{0.0, -0.0});
      EXPECT_FALSE(std::signbit(results[0])) << function << static_cast<int>(isa);
      EXPECT_TRUE(std::signbit(results[1])) << function << static_cast<int>(isa);
      EXPECT_EQ(results[0], 0) << function;
    }
  }
}

/// The library's answer with the sign of zero, on every pair of special values.
TEST(BlockFunction, Atan2KnowsTheQuadrants) {
  std::vector<double> y;
  std::vector<double> x;
  const std::vector<double> values = {0.0, -0.0, 1, -1, 3, -0.25, kInfinity, -kInfinity, kNan};
  for (const double first : values) {
    for (const double second : values) {
      y.push_back(first);
      x.push_back(second);
    }
  }
  for (const Isa isa : all_isas()) {
    const std::vector<double> results = apply_to<double>("atan2", isa, y, x);
    for (size_t e = 0; e < y.size(); ++e) {
      const long double wanted =
          std::atan2(static_cast<long double>(y[e]), static_cast<long double>(x[e]));
      EXPECT_LE(ulp_distance(results[e], wanted), 4)
          << y[e] << " " << x[e] << " isa " << static_cast<int>(isa);
    }
  }
}

TEST(BlockFunction, MinimumAndMaximumHaveOneRuleForZeroAndNan) {
  const std::vector<float> x = {0.0f, -0.0f, 1, 2, -3, NAN, 4, INFINITY, -INFINITY, -0.0f};
  const std::vector<float> y = {-0.0f, 0.0f, 2, 1, -3, 1, NAN, 1, 1, -0.0f};
  for (const Isa isa : all_isas()) {
    const auto low = apply_to<float>("minimum", isa, x, y);
    const auto high = apply_to<float>("maximum", isa, x, y);
    EXPECT_TRUE(std::signbit(low[0]) && std::signbit(low[1]) && std::signbit(low[9]));
    EXPECT_FALSE(std::signbit(high[0]) || std::signbit(high[1]));
    EXPECT_TRUE(std::signbit(high[9]));
    EXPECT_TRUE(std::isnan(low[5]) && std::isnan(low[6]) && std::isnan(high[5]) &&
                std::isnan(high[6]));
    EXPECT_EQ((std::vector<float>{low[2], low[3], low[4], low[7], low[8]}),
              (std::vector<float>{1, 1, -3, 1, -INFINITY}));
    EXPECT_EQ((std::vector<float>{high[2], high[3], high[4], high[7], high[8]}),
              (std::vector<float>{2, 2, -3, INFINITY, 1}));
  }
}

TEST(BlockFunction, IntegersWrap) {
  for (const Isa isa : all_isas()) {
    using I8 = std::vector<int8_t>;
    EXPECT_EQ(apply_to<int8_t>("add", isa, I8{127, -128}, I8{1, -1}), (I8{-128, 127}));
    EXPECT_EQ(apply_to<int8_t>("multiply", isa, I8{64, -128}, I8{2, -1}), (I8{-128, -128}));
    EXPECT_EQ(apply_to<int8_t>("negative", isa, I8{-128, 5}), (I8{-128, -5}));
    EXPECT_EQ(apply_to<int8_t>("abs", isa, I8{-128, -5}), (I8{-128, 5}));
    using U16 = std::vector<uint16_t>;
    EXPECT_EQ(apply_to<uint16_t>("multiply", isa, U16{65535}, U16{65535}), (U16{1}));
    EXPECT_EQ(apply_to<uint16_t>("subtract", isa, U16{0}, U16{1}), (U16{65535}));
    constexpr int64_t kLow = std::numeric_limits<int64_t>::min();
    using I64 = std::vector<int64_t>;
    EXPECT_EQ(apply_to<int64_t>("subtract", isa, I64{kLow}, I64{1}),
              (I64{std::numeric_limits<int64_t>::max()}));
    EXPECT_EQ(
        apply_to<int64_t>("floor_divide", isa, I64{kLow, 7, -7, 7, -7}, I64{-1, 2, 2, -2, -2}),
        (I64{kLow, 3, -4, -4, 3}));
    EXPECT_EQ(apply_to<int64_t>("remainder", isa, I64{kLow, 7, -7, 7, -7}, I64{-1, 2, 2, -2, -2}),
              (I64{0, 1, 1, -1, -1}));
    EXPECT_EQ(apply_to<int64_t>("fmod", isa, I64{kLow, 7, -7, 7, -7}, I64{-1, 2, 2, -2, -2}),
              (I64{0, 1, -1, 1, -1}));
    EXPECT_EQ(apply_to<int64_t>("power", isa, I64{3, -2, 7}, I64{4, 63, 0}), (I64{81, kLow, 1}));
    EXPECT_EQ(apply_to<int64_t>("left_shift", isa, I64{1, 1, 1, -1}, I64{62, 64, -1, 63}),
              (I64{int64_t{1} << 62, 0, 0, kLow}));
    EXPECT_EQ(apply_to<int64_t>("right_shift", isa, I64{-8, -8, 8, 9}, I64{1, 64, 99, 3}),
              (I64{-4, -1, 0, 1}));
  }
}

TEST(BlockFunction, IntegersWithoutAResultAreAStatus) {
  for (const Isa isa : all_isas()) {
    for (const std::string function : {"floor_divide", "remainder", "fmod", "power"}) {
      const auto code = find_block_function(function, {{DType::i32, DType::i32}, DType::i32}, isa);
      Block<int32_t> x({0});
      Block<int32_t> y({1});
      Block<int32_t> result;
      const std::array<const void*, 2> arguments = {x.values.data(), y.values.data()};
      const bool is_power = function == "power";
      const Status wanted =
          is_power ? Status::negative_integer_power : Status::integer_division_by_zero;
      y.values[5] = is_power ? -1 : 0;
      EXPECT_EQ(code(arguments.data(), result.values.data(), 5), Status::ok) << function;
      EXPECT_EQ(code(arguments.data(), result.values.data(), 6), wanted) << function;
    }
  }
}

TEST(BlockFunction, FloatDivisionFollowsPython) {
  using F64 = std::vector<double>;
  for (const Isa isa : all_isas()) {
    const F64 x = {7, -7, 7, -7, 1, -1, 0, -0.0, 5, kInfinity};
    const F64 y = {2, 2, -2, -2, 0, 0, 5, 5, kInfinity, 2};
    const F64 floored = apply_to<double>("floor_divide", isa, x, y);
    const F64 rest = apply_to<double>("remainder", isa, x, y);
    EXPECT_EQ(F64(floored.begin(), floored.begin() + 8),
              (F64{3, -4, -4, 3, kInfinity, -kInfinity, 0, 0}));
    EXPECT_EQ(F64(rest.begin(), rest.begin() + 4), (F64{1, 1, -1, -1}));
    EXPECT_TRUE(std::isnan(rest[4]) && std::isnan(rest[9]));
    EXPECT_TRUE(std::signbit(floored[7]));
    EXPECT_EQ(rest[8], 5);
    EXPECT_EQ(apply_to<double>("divide", isa, F64{1, -1, 6}, F64{0, 0, 3}),
              (F64{kInfinity, -kInfinity, 2}));
  }
}

TEST(BlockFunction, SmallPowersAreProducts) {
  for (const Isa isa : all_isas()) {
    const std::vector<float> x = {1.1f, -3.3f, 7.7f, 1e20f};
    const auto squares = apply_to<float>("power", isa, x, std::vector<float>{2});
    const auto cubes = apply_to<float>("power", isa, x, std::vector<float>{3});
    for (size_t e = 0; e < 4; ++e) {
      EXPECT_EQ(squares[e], x[e] * x[e]);
      EXPECT_EQ(cubes[e], x[e] * x[e] * x[e]);
    }
    EXPECT_EQ(
        apply_to<float>("power", isa, std::vector<float>{4, 2, 0}, std::vector<float>{0.5, -1, 0}),
        (std::vector<float>{2, 0.5, 1}));
  }
}

TEST(BlockFunction, RoundingIsToEven) {
  using F64 = std::vector<double>;
  for (const Isa isa : all_isas()) {
    const F64 x = {0.5, 1.5, 2.5, -0.5, -1.5, 1e300, 2.4, -2.6};
    EXPECT_EQ(apply_to<double>("round", isa, x), (F64{0, 2, 2, 0, -2, 1e300, 2, -3}));
    EXPECT_EQ(apply_to<double>("floor", isa, x), (F64{0, 1, 2, -1, -2, 1e300, 2, -3}));
    EXPECT_EQ(apply_to<double>("ceil", isa, x), (F64{1, 2, 3, 0, -1, 1e300, 3, -2}));
    EXPECT_EQ(apply_to<double>("trunc", isa, x), (F64{0, 1, 2, 0, -1, 1e300, 2, -2}));
  }
}

TEST(BlockFunction, ChoosesTestsAndSigns) {
  using F32 = std::vector<float>;
  using Bool = std::vector<bool>;
  for (const Isa isa : all_isas()) {
    const F32 x = {1, -2, 0, NAN, INFINITY, -INFINITY};
    const auto test = [&](const char* name) { return apply_to<bool>(name, isa, x); };
    EXPECT_EQ(test("isnan"), (Bool{false, false, false, true, false, false}));
    EXPECT_EQ(test("isinf"), (Bool{false, false, false, false, true, true}));
    EXPECT_EQ(test("isfinite"), (Bool{true, true, true, false, false, false}));
    const auto less = apply_to<bool>("less", isa, x, F32{0});
    EXPECT_EQ(less, (Bool{false, true, false, false, false, true}));
    const F32 signs = apply_to<float>("sign", isa, x);
    EXPECT_EQ(F32(signs.begin(), signs.begin() + 3), (F32{1, -1, 0}));
    EXPECT_TRUE(std::isnan(signs[3]));
    const F32 positive = apply_to<float>("relu", isa, x);
    EXPECT_EQ((F32{positive[0], positive[1], positive[4], positive[5]}), (F32{1, 0, INFINITY, 0}));
    EXPECT_TRUE(std::isnan(positive[3]));
    const F32 steps = apply_to<float>("heaviside", isa, x, F32{0.5});
    EXPECT_EQ((F32{steps[0], steps[1], steps[2]}), (F32{1, 0, 0.5}));
    EXPECT_EQ(apply_to<float>("clip", isa, F32{-5, 0, 5}, F32{-1}, F32{1}), (F32{-1, 0, 1}));
  }
}

TEST(BlockFunction, ComplexNumbersFollowNumpy) {
  using C = std::complex<double>;
  using List = std::vector<C>;
  for (const Isa isa : all_isas()) {
    EXPECT_EQ(apply_to<C>("multiply", isa, List{{1, 2}}, List{{3, -4}}), (List{{11, 2}}));
    EXPECT_EQ(apply_to<C>("divide", isa, List{{11, 2}}, List{{3, -4}}), (List{{1, 2}}));
    EXPECT_EQ(apply_to<C>("conj", isa, List{{1, 2}}), (List{{1, -2}}));
    EXPECT_EQ(apply_to<double>("abs", isa, List{{3, -4}}), (std::vector<double>{5}));
    EXPECT_EQ(apply_to<double>("imag", isa, List{{3, -4}}), (std::vector<double>{-4}));
    EXPECT_EQ(apply_to<C>("power", isa, List{{1, 2}}, List{{2, 0}}), (List{{-3, 4}}));
    EXPECT_EQ(apply_to<C>("sign", isa, List{{3, 4}, {0, 0}}), (List{{0.6, 0.8}, {0, 0}}));
    const C exponential = apply_to<C>("exp", isa, List{{0, 1}})[0];
    EXPECT_NEAR(exponential.real(), std::cos(1.0), 1e-15);
    EXPECT_TRUE(std::isinf(apply_to<C>("divide", isa, List{{1, 0}}, List{{0, 0}})[0].real()));
  }
}

/// What numpy's astype gives on x86, also where the integer cannot hold the float.
TEST(BlockFunction, CastsAsAstype) {
  const std::vector<double> x = {2.9, -2.9, 300, -1, 3e9, 1e19, kInfinity, 0};
  const auto cast = [&]<class To>(To, Isa isa) {
    Block<double> from(x);
    Block<To> to;
    const std::array<const void*, 1> arguments = {from.values.data()};
    EXPECT_EQ(find_block_cast(DType::f64, dtype_of<To>(), isa)(arguments.data(), to.values.data(),
                                                               kBlock),
              Status::ok);
    return std::vector<To>(to.values.begin(), to.values.begin() + static_cast<int64_t>(x.size()));
  };
  constexpr int32_t kLow32 = std::numeric_limits<int32_t>::min();
  for (const Isa isa : all_isas()) {
    EXPECT_EQ(cast(int32_t{}, isa),
              (std::vector<int32_t>{2, -2, 300, -1, kLow32, kLow32, kLow32, 0}));
    EXPECT_EQ(cast(uint8_t{}, isa), (std::vector<uint8_t>{2, 254, 44, 255, 0, 0, 0, 0}));
    EXPECT_EQ(cast(uint64_t{}, isa)[5], 10000000000000000000u);
    EXPECT_EQ(cast(uint32_t{}, isa)[4], 3000000000u);
    EXPECT_EQ(cast(bool{}, isa),
              (std::vector<bool>{true, true, true, true, true, true, true, false}));
    EXPECT_EQ(cast(std::complex<float>{}, isa)[1], std::complex<float>(-2.9f, 0));
  }
}

/// Integers, bools and exact float functions have the same bits on every instruction set, for all
/// dtypes.
TEST(BlockFunction, ExactFunctionsAgreeOnAllInstructionSets) {
  expr::FunctionRegistry registry;
  expr::register_all_functions(registry);
  std::mt19937_64 generator(11);
  for (const std::string& name : registry.names()) {
    const expr::Function& function = *registry.find(name);
    for (const DType dtype :
         {DType::b1, DType::i8, DType::u16, DType::i32, DType::u64, DType::i64}) {
      expr::FunctionTypes types;
      try {
        types = function.bind(std::vector<DType>(static_cast<size_t>(function.arity), dtype));
      } catch (const Error&) {
        continue;
      }
      if (is_float(types.arguments.back()) || is_complex(types.arguments.back())) {
        continue;
      }
      std::vector<Block<uint64_t>> arguments(types.arguments.size());
      std::vector<const void*> addresses;
      for (size_t position = 0; position < arguments.size(); ++position) {
        const bool is_truth = types.arguments[position] == DType::b1;
        for (uint64_t& value : arguments[position].values) {
          value = is_truth ? generator() & 0x0101010101010101u : generator() | 0x0101010101010101u;
        }
        addresses.push_back(arguments[position].values.data());
      }
      Block<uint64_t> wanted;
      find_block_function(name, types, Isa::scalar)(addresses.data(), wanted.values.data(), kBlock);
      for (const Isa isa : all_isas()) {
        Block<uint64_t> got;
        find_block_function(name, types, isa)(addresses.data(), got.values.data(), kBlock);
        EXPECT_EQ(got.values, wanted.values) << name << " " << name_of(dtype);
      }
    }
  }
}

TEST(BlockFunction, EveryDrawHasCodeForFloats) {
  expr::FunctionRegistry registry;
  expr::register_all_functions(registry);
  int num_draws = 0;
  for (const std::string& name : registry.names()) {
    const expr::Function& function = *registry.find(name);
    if (function.core || function.group != expr::FunctionGroup::draws || name == "philox") {
      continue;
    }
    for (const DType dtype : {DType::f32, DType::f64}) {
      std::vector<DType> dtypes(static_cast<size_t>(function.arity), dtype);
      dtypes.front() = DType::i64;
      const expr::FunctionTypes types = function.bind(dtypes);
      EXPECT_EQ(types.arguments, dtypes) << name;
      for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512}) {
        EXPECT_NE(find_block_function(name, types, isa), nullptr) << name;
      }
    }
    ++num_draws;
  }
  EXPECT_EQ(num_draws, 4);
}

TEST(BlockFunction, DrawsAreTheSameOnEveryIsa) {
  std::vector<int64_t> bits(kBlock);
  std::mt19937_64 generator(3);
  std::generate(bits.begin(), bits.end(), [&] { return static_cast<int64_t>(generator()); });
  const std::vector<double> parameters = {0.0, 0.25, 1.0, 3.0, 40.0, 1e6};
  for (const char* const name : {"random_gamma", "random_poisson"}) {
    const auto wanted = apply_to<double>(name, Isa::scalar, bits, parameters);
    for (const Isa isa : all_isas()) {
      EXPECT_EQ(apply_to<double>(name, isa, bits, parameters), wanted) << name;
    }
  }
}

TEST(BlockFunction, EveryRegisteredFunctionHasCodeForWhatItBinds) {
  expr::FunctionRegistry registry;
  expr::register_all_functions(registry);
  for (const std::string& name : registry.names()) {
    const expr::Function& function = *registry.find(name);
    if (function.core || function.group == expr::FunctionGroup::draws) {
      continue;  // of whole arrays; of bits and numbers: below
    }
    int num_bound = 0;
    for (const DType dtype : all_dtypes()) {
      try {
        const auto types =
            function.bind(std::vector<DType>(static_cast<size_t>(function.arity), dtype));
        ++num_bound;
        for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512}) {
          EXPECT_NE(find_block_function(name, types, isa), nullptr)
              << name << " of " << name_of(dtype);
        }
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::user) << name;
      }
    }
    EXPECT_GT(num_bound, 0) << name;
  }
}

TEST(BlockFunction, ResultMayBeAnArgument) {
  for (const Isa isa : all_isas()) {
    for (const std::string name : {"add", "exp", "minimum", "power"}) {
      const int arity = name == "exp" ? 1 : 2;
      const expr::FunctionTypes types{std::vector<DType>(static_cast<size_t>(arity), DType::f32),
                                      DType::f32};
      Block<float> x({0.5f, 1, 2, -3, 4, 5, 6});
      Block<float> apart;
      const std::array<const void*, 2> arguments = {x.values.data(), x.values.data()};
      const auto code = find_block_function(name, types, isa);
      code(arguments.data(), apart.values.data(), kBlock);
      code(arguments.data(), x.values.data(), kBlock);
      for (size_t place = 0; place < x.values.size(); ++place) {
        ASSERT_EQ(std::bit_cast<uint32_t>(x.values[place]),
                  std::bit_cast<uint32_t>(apart.values[place]))
            << name << " at " << place;
      }
    }
  }
}

TEST(BlockFunction, UnknownNamesAndTypesHaveNoCode) {
  EXPECT_EQ(find_block_function("nonsense", {{DType::f32}, DType::f32}, Isa::scalar), nullptr);
  EXPECT_EQ(find_block_function("exp", {{DType::i32}, DType::i32}, Isa::scalar), nullptr);
  EXPECT_EQ(find_block_function("add", {{DType::f32}, DType::f32}, Isa::scalar), nullptr);
  for (const DType from : all_dtypes()) {
    for (const DType to : all_dtypes()) {
      EXPECT_NE(find_block_cast(from, to, Isa::avx512), nullptr) << name_of(from) << name_of(to);
    }
  }
}

}  // namespace
}  // namespace tessera::kernels::block_function_test
