#include "expr/text/text.h"

#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "base/error.h"
#include "expr/verify.h"
#include "unit/expr/registries.h"

namespace tessera::expr::text_test {
namespace {

/// Two f32 operands x[i] and y[i,j], an i64 operand "odd name"[j], a parameter a of f64.
Leaves leaves() {
  return {{{"i", "j"}, {"x", "y", "odd name"}, {"a"}},
          {DType::f32, DType::f32, DType::i64},
          {DType::f64}};
}

Scalar parse(const std::string& text) {
  return parse_scalar({"t", text}, leaves(), all_functions());
}

std::string reprinted(const std::string& text) {
  return to_text(parse(text), leaves().names);
}

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

TEST(ScalarText, IsReprintedAsItWas) {
  for (const char* text : {"x[i]",
                           "x[i] * y[i,j]",
                           "x[i] - 1.5",
                           "(x[i] + y[i,j]) * x[i]",
                           "x[i] - (x[i] - y[i,j])",
                           "x[i] - x[i] - y[i,j]",
                           "x[i] ^ y[i,j] ^ 2.0",
                           "(x[i] ^ y[i,j]) ^ 2.0",
                           "-x[i] ^ 2.0",
                           "(-x[i]) ^ 2.0",
                           "(-2.0) ^ x[i]",
                           "-(2.0 ^ x[i])",
                           "2.0 ^ -x[i]",
                           "--x[i]",
                           "x[i] * -2.0",
                           "x[i] - -2.0",
                           "negative(1.5:f32)",
                           "f32(index(i)) < x[2*i-j+1]",
                           "where(x[i] < 0.0, 0.0, x[i])",
                           "a + 1",
                           "\"odd name\"[j] + 3",
                           "x[0]",
                           "x[-i+3]",
                           "x[i+j-1 pad 0]",
                           "x[i pad -1.5]",
                           "x[3 edge]",
                           "x[-i reflect] + x[i pad inf]",
                           "x[(i-j)/2 pad 0]",
                           "y[\"odd name\"[j],j]",
                           "y[\"odd name\"[j] + 1 pad 0,0]",
                           "y[1 + \"odd name\"[j],j edge]",
                           "y[\"odd name\"[\"odd name\"[0]],index(i) reflect]",
                           "1:i64",
                           "true:b1",
                           "inf:f64",
                           "-inf:f32",
                           "(1+2j):c64",
                           "18446744073709551615:u64",
                           "-9223372036854775808:i64",
                           "f16(x[i])",
                           "maximum(x[i], inf)",
                           "nan:f32",
                           "-(inf ^ x[i])",
                           "x[i] / (x[i] / 2.0)",
                           "5e-324:f64",
                           "1e+300:f64"}) {
    EXPECT_EQ(reprinted(text), text);
  }
}

TEST(ScalarText, KeepsMinusZeroAndNan) {
  EXPECT_EQ(reprinted("x[i] + -0.0"), "x[i] + -0.0");
  EXPECT_EQ(parse("nan:f32"), parse("nan:f32"));
  EXPECT_NE(parse("0.0:f32"), parse("-0.0:f32"));
}

TEST(ScalarText, ErrorsPointAtThePlace) {
  EXPECT_EQ(error_of("x[i] * z[i]"),
            "t:1:8: error: there is no operand z\n  x[i] * z[i]\n         ^");
  EXPECT_NE(error_of("x[i] + 1:i64").find("add takes f64 here, but this is f32"), std::string::npos)
      << error_of("x[i] + 1:i64");
  EXPECT_NE(error_of("1.5").find("write it behind a colon: 1.5:f32"), std::string::npos);
  EXPECT_NE(error_of("-2.0 ^ x[i]").find("ambiguous"), std::string::npos);
  EXPECT_NE(error_of("maxi(x[i], x[i])").find("there is no function maxi"), std::string::npos);
  EXPECT_NE(error_of("x[i").find("the text ends here"), std::string::npos);
  EXPECT_NE(error_of("x[i] < x[i] < x[i]").find("expected the end"), std::string::npos);
  EXPECT_NE(error_of(std::string(100000, '(')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(error_of(std::string(100000, '-')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(error_of("{$0 = $0 + x[i]; $0}").find("there is no part $0"), std::string::npos);
}

TEST(ScalarText, SharedPartsDoNotBlowUp) {
  ScalarBuilder builder;
  int32_t node = builder.access({0, {plain(0)}}, DType::f32);
  for (int doubling = 0; doubling < 60; ++doubling) {
    node = builder.call("add", {node, node}, DType::f32);
  }
  const Scalar scalar = builder.finish(node);
  const std::string text = to_text(scalar, leaves().names);
  EXPECT_LT(text.size(), 2000U);
  EXPECT_EQ(parse(text), scalar);
}

TEST(ScalarText, DeepExpressionsRoundTrip) {
  ScalarBuilder builder;
  const int32_t leaf = builder.access({0, {plain(0)}}, DType::f32);
  int32_t left = leaf;
  int32_t right = leaf;
  for (int level = 0; level < 3000; ++level) {
    left = builder.call("subtract", {left, leaf}, DType::f32);
    right = builder.call("power", {leaf, right}, DType::f32);
  }
  const Scalar scalar = builder.finish(builder.call("add", {left, right}, DType::f32));
  EXPECT_EQ(parse(to_text(scalar, leaves().names)), scalar);
}

/// A random expression over the leaves, of any functions and dtypes, as a front end makes it.
class ScalarDrawer {
 public:
  explicit ScalarDrawer(uint32_t seed) : random_(seed) {}

  Scalar draw(int num_calls) {
    std::vector<int32_t> nodes = {
        builder_.access({0, {plain(0)}}, DType::f32),
        builder_.access({1, {plain(0), affine({{{1, -2}, {0, 1}}, 3})}}, DType::f32),
        builder_.access({2, {fixed(0)}}, DType::i64), builder_.index_of(1),
        builder_.parameter(0, DType::f64)};
    const std::vector<std::string> names = all_functions().names();
    while (num_calls > 0) {
      const Function& function = *all_functions().find(names[pick(names.size())]);
      if (function.core) {
        continue;  // called by statements of their own
      }
      std::vector<int32_t> arguments;
      std::vector<DType> dtypes;
      for (int argument = 0; argument < function.arity; ++argument) {
        arguments.push_back(pick(4) == 0 ? draw_constant() : nodes[pick(nodes.size())]);
        dtypes.push_back(builder_.dtype_of(arguments.back()));
      }
      try {
        const FunctionTypes types = function.bind(dtypes);
        for (size_t argument = 0; argument < arguments.size(); ++argument) {
          arguments[argument] = builder_.cast(arguments[argument], types.arguments[argument]);
        }
        nodes.push_back(builder_.call(function.name, arguments, types.result));
        --num_calls;
      } catch (const Error&) {
        continue;  // no meaning for these dtypes
      }
    }
    return builder_.finish(nodes.back());
  }

 private:
  size_t pick(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random_); }

  int32_t draw_constant() {
    const std::vector<Literal> literals = {
        true,
        int64_t{-3},
        int64_t{7},
        std::numeric_limits<int64_t>::min(),
        std::numeric_limits<uint64_t>::max(),
        0.1,
        -2.0,
        -0.0,
        1e-7,
        -std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN(),
        std::complex<double>(-1.5, 2.0),
        std::complex<double>(0.0, -std::numeric_limits<double>::infinity())};
    return builder_.constant(literals[pick(literals.size())],
                             all_dtypes()[pick(all_dtypes().size())]);
  }

  std::mt19937 random_;
  ScalarBuilder builder_;
};

TEST(ScalarText, DrawnExpressionsRoundTrip) {
  const Scope scope{{{"i", 1}, {"j", 1}},
                    {0, 1},
                    {{DType::f32, {1}}, {DType::f32, {1, 4}}, {DType::i64, {1}}},
                    {DType::f64}};
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    const Scalar scalar = ScalarDrawer(seed).draw(1 + static_cast<int>(seed % 40));
    const std::string text = to_text(scalar, leaves().names);
    ASSERT_EQ(parse(text), scalar) << "seed " << seed << ": " << text;
    ASSERT_EQ(verify(scalar, scope, all_functions()), std::vector<std::string>{}) << text;
  }
}

TileProgram parse_program_text(const std::string& text) {
  const MonoidScope monoids{all_aggregates(), {}};
  return parse_program({"p", text}, {}, monoids, all_functions());
}

TEST(ProgramText, IsReprintedAsItWas) {
  for (const char* text :
       {"[s=128,h=4,a=64] (f32,f32) o[s,h] = sum[a] x0[s,a] * x1[a,h]",
        "[i=3] (f32) o[i] = sum[] x0[i]", "[] () o[] = 1:i64",
        "[i=3,j=0] (f32,_) (o0,o1)[i] = argmax[j] (x0[i,j], index(j))",
        "[i=3,j=2] (f32) t0[i] = max[j] x0[i,j]; o[i,j] = exp(x0[i,j] - t0[i])",
        "[i=3] (f32) (t0,t1)[i] = (x0[i], -x0[i]); o[i] = t0[i] + t1[i]",
        "[j=3] (f32) o[] = sum[j] (-x0[j])", "[j=3] (f32) o[] = sum[j] (x0[j] + 1.0)",
        "[j=3] (f32) o[] = sum[j] 2.0 * x0[j]", "[j=3] (f32) o[] = sum[j; leaf j=512] x0[j]",
        "[i=4,j=3] (f32) t0[] = sum[i,j; leaf j=2] (-x0[i,j]); o[] = t0[] + 1.0",
        "[i=4,j=3] (f32) o[i,j] = scan sum[i] x0[i,j]",
        "[i=4] (f32) t0[i] = scan max[i; exclusive] (-x0[i]); o[i] = t0[i] + 1.0",
        "[i=4] (f32) o[i] = scan sum[i; backward exclusive] x0[i]",
        "[i=4] (f32) (o0,o1)[i] = scan argmax[i; backward] (x0[i], index(i))",
        "[i=4] (f32,i64) o[i] = x0[x1[i]]",
        "[\"odd name\"=3] (f32) o[\"odd name\"] = x0[\"odd name\"]"}) {
    EXPECT_EQ(to_text(parse_program_text(text)), text);
  }
}

TEST(ProgramText, LeavesAwayWhatFollowsFromTheInputs) {
  const std::vector<ArrayType> inputs = {{DType::f32, {128, 64}}, {DType::f32, {64, 4}}};
  const TileProgram program =
      parse_program_text("[s=128,h=4,a=64] (f32,f32) o[s,h] = sum[a] x0[s,a] * x1[a,h]");
  const std::string text = to_text(program, inputs);
  EXPECT_EQ(text, "o[s,h] = sum[a] x0[s,a] * x1[a,h]");
  EXPECT_EQ(parse_program({"p", text}, inputs, MonoidScope{all_aggregates(), {}}, all_functions()),
            program);
  EXPECT_EQ(to_text(program, {inputs[0]}), to_text(program));  // too few: nothing follows
  const TileProgram reordered =
      parse_program_text("[a=64,s=128,h=4] (f32,f32) o[s,h] = sum[a] x0[s,a] * x1[a,h]");
  EXPECT_EQ(to_text(reordered, inputs), to_text(reordered));
}

TEST(MonoidText, EveryAggregateRoundTripsInFull) {
  for (const std::string& name : all_aggregates().names()) {
    for (const DType dtype : all_dtypes()) {
      NamedAggregate named{name, dtype, {}};
      try {
        named.aggregate = all_aggregates().find(name)->bind(dtype);
      } catch (const Error&) {
        continue;
      }
      const std::string text = to_text(named);
      const NamedAggregate read = parse_aggregate({"m", text}, all_functions());
      EXPECT_EQ(to_text(read), text);
      EXPECT_EQ(read.aggregate.lift, named.aggregate.lift) << text;
      EXPECT_EQ(read.aggregate.finalise, named.aggregate.finalise) << text;
      EXPECT_EQ(read.aggregate.monoid.combine, named.aggregate.monoid.combine) << text;
      EXPECT_EQ(verify(named.aggregate, dtype, all_functions()), std::vector<std::string>{})
          << text;
    }
  }
}

TEST(MonoidText, NameAndFirstStateGiveTheMonoid) {
  for (const std::string& name : all_aggregates().names()) {
    for (const DType dtype : all_dtypes()) {
      try {
        const Monoid monoid = all_aggregates().find(name)->bind(dtype).monoid;
        EXPECT_TRUE(is_registered(monoid, all_aggregates())) << name << " " << name_of(dtype);
      } catch (const Error&) {
        continue;
      }
    }
  }
}

}  // namespace
}  // namespace tessera::expr::text_test
