#include <gtest/gtest.h>

#include "unit/frontend/program_fixture.h"

namespace tessera::frontend::program_warnings_test {

namespace {

/// What a program is warned of: "2:7 message" a line.
std::string warnings_of(const std::string& text, const std::map<std::string, std::string>& types) {
  const Result<einsum::Graph> result = bind_text(text, data(types));
  if (!result.ok()) {
    return result.diagnostics().render();
  }
  std::string lines;
  for (const Diagnostic& warning : result.warnings()->found()) {
    const SourcePosition place = position_of(result.warnings()->source(), warning.span.begin);
    lines += fmt::format("{}:{} {}\n", place.line, place.column, warning.message);
    EXPECT_EQ(warning.severity, Severity::warning);
  }
  return lines;
}

std::string of_sum(const std::string& summed, const std::string& type) {
  return warnings_of("input x[i]\ny = sum[i] " + summed, {{"x", type}});
}

TEST(ProgramWarnings, NarrowSumsThatMayWrap) {
  EXPECT_EQ(of_sum("x[i]", "i8[300]"),
            "2:5 this sum of 300 values may wrap: its dtype i8 ends at 127\n");
  EXPECT_NE(of_sum("x[i]", "u8[2]"), "");
  EXPECT_NE(of_sum("x[i]", "i16[2]"), "");
  EXPECT_NE(of_sum("x[i] * x[i]", "u8[2]"), "");
}

TEST(ProgramWarnings, OneValueNeverWraps) {
  EXPECT_EQ(of_sum("x[i]", "i8[1]"), "");
  EXPECT_EQ(of_sum("x[i]", "i8[0]"), "");
}

TEST(ProgramWarnings, WideAndFloatingSumsAreLeftAlone) {
  for (const char* type : {"i64[1000000000]", "u64[1000000000]", "f16[1000000000]", "f32[300]"}) {
    EXPECT_EQ(of_sum("x[i]", type), "") << type;
  }
  EXPECT_EQ(of_sum("i64(x[i])", "i8[300]"), "");
  EXPECT_EQ(of_sum("f64(x[i])", "i8[300]"), "");
  EXPECT_EQ(of_sum("x[i] * x[i]", "i64[1000000000]"), "");
}

TEST(ProgramWarnings, DataOf32BitsAreTakenToBeSmall) {
  EXPECT_EQ(of_sum("x[i]", "i32[2000000]"), "");
  EXPECT_EQ(of_sum("x[i] * x[i]", "i32[2000]"), "");
  EXPECT_NE(of_sum("x[i]", "i32[3000000]"), "");
  EXPECT_NE(of_sum("x[i] * x[i]", "i32[3000]"), "");
}

TEST(ProgramWarnings, WhatIsKnownOfValuesCounts) {
  EXPECT_EQ(of_sum("u8(x[i] > 3)", "f32[255]"), "");
  EXPECT_NE(of_sum("u8(x[i] > 3)", "f32[256]"), "");
  EXPECT_EQ(of_sum("i32(x[i]) * i32(x[i])", "u8[33000]"), "");
  EXPECT_NE(of_sum("i32(x[i]) * i32(x[i])", "u8[34000]"), "");
  EXPECT_EQ(of_sum("u8(x[i] % 2)", "i32[255]"), "");
  EXPECT_EQ(of_sum("i32(index(i))", "f32[46000]"), "");
  EXPECT_NE(of_sum("i32(index(i))", "f32[47000]"), "");
  EXPECT_EQ(of_sum("where(x[i] > 0, u8(1), u8(0))", "f32[200]"), "");
  EXPECT_EQ(of_sum("min(x[i], 1)", "u8[200]"), "");
}

TEST(ProgramWarnings, WhatEarlierStatementsMadeIsKnown) {
  const std::string text = "input x[i]\nflag[i] = u8(x[i] > 3)\ny = sum[i] flag[i]";
  EXPECT_EQ(warnings_of(text, {{"x", "f32[255]"}}), "");
  EXPECT_EQ(warnings_of(text, {{"x", "f32[256]"}}),
            "3:5 this sum of 256 values may wrap: its dtype u8 ends at 255\n");
}

TEST(ProgramWarnings, SumsInsideAreShownWhereTheyStand) {
  EXPECT_EQ(warnings_of("input x[i]\ny = 1 + f32(sum[i] x[i])", {{"x", "i8[300]"}}),
            "2:13 this sum of 300 values may wrap: its dtype i8 ends at 127\n");
}

TEST(ProgramWarnings, SumsOfTruthValues) {
  EXPECT_EQ(of_sum("(x[i] > 3)", "f32[5]"),
            "2:5 a sum of truth values is a truth value: whether any is true\n");
  EXPECT_EQ(of_sum("i64(x[i] > 3)", "f32[5]"), "");
  EXPECT_EQ(warnings_of("input x[i]\ny = any[i] (x[i] > 3)", {{"x", "f32[5]"}}), "");
}

TEST(ProgramWarnings, MacrosOfThePreludeGiveNone) {
  EXPECT_EQ(
      warnings_of("input x[i]\ny[i] = softmax[i](x[i])\nz = norm[i] x[i]\nv = variance[i] x[i]",
                  {{"x", "i8[300]"}}),
      "");
}

std::string of_statement(const std::string& statement) {
  return warnings_of(
      "input x[j], w[j], A[i,j], v[i], s\n" + statement,
      {{"x", "f32[4]"}, {"w", "f32[4]"}, {"A", "f32[3,4]"}, {"v", "f32[3]"}, {"s", "f32[]"}});
}

TEST(ProgramWarnings, ScansThatTakeTheirFirstOperandAlone) {
  const auto of_scan = [](const std::string& scan) {
    return warnings_of("input x[i], y[i], s\nZ[i] = " + scan,
                       {{"x", "f64[3]"}, {"y", "f64[3]"}, {"s", "f64[]"}});
  };
  EXPECT_EQ(of_scan("cumsum[i] s + y[i] * x[i]"),
            "2:8 cumsum takes s alone, not what stands behind it\n");
  EXPECT_NE(of_scan("cumprod[i reverse] x[i] * s - y[i]"), "");
  EXPECT_EQ(of_scan("(cumsum[i] x[i]) + y[i]"), "");
  EXPECT_EQ(of_scan("cumsum[i](x[i]) + y[i]"), "");
  EXPECT_EQ(of_scan("cumsum[i] (x[i] + y[i])"), "");
  EXPECT_EQ(of_scan("cumsum[i] x[i] + s"), "");
  EXPECT_EQ(of_scan("y[i] + cumsum[i] x[i]"), "");
}

TEST(ProgramWarnings, ComparedTruthValues) {
  EXPECT_EQ(of_statement("y = any[j] x[j] > 0"),
            "2:5 any takes x[j] alone, and its truth value is compared\n");
  EXPECT_NE(of_statement("y = all[j] (x[j]) == 0"), "");
  EXPECT_NE(of_statement("y = 0 < any[j] x[j]"), "");
  EXPECT_NE(of_statement("y = s > 0 and any[j] x[j] > 0"), "");
  EXPECT_NE(of_statement("def f[k](a) = any[k] a > 0\ny = f[j](x[j])"), "");
}

TEST(ProgramWarnings, ComparisonsThatAreWhatTheyLookLike) {
  for (const char* statement :
       {"y = any[j] (x[j] > 0)", "y = (any[j] x[j]) > 0", "y = any[j](x[j]) == true",
        "y = sum[j] x[j] > 0", "y = max[j] x[j] > 0", "y = any[j] x[j] and s > 0"}) {
    EXPECT_EQ(of_statement(statement), "") << statement;
  }
}

TEST(ProgramWarnings, ProductsInDivisors) {
  EXPECT_EQ(
      of_statement("y[j] = x[j] / sum[j] x[j] * w[j]"),
      "2:8 sum takes the product that follows it: this divides by all of sum[j] x[j] * w[j]\n");
  EXPECT_NE(of_statement("y[i] = v[i] / sum[j] A[i,j] * v[i]"), "");
  EXPECT_NE(of_statement("y = 1 / sum[j] x[j] / s"), "");
  EXPECT_NE(of_statement("def f[k](a, b) = a / sum[k] a * b\ny[j] = f[j](x[j], w[j])"), "");
  EXPECT_NE(of_statement("y[j] = 2 + x[j] / max[j] x[j] * w[j]"), "");
}

TEST(ProgramWarnings, DivisionsThatAreWhatTheyLookLike) {
  for (const char* statement :
       {"y[j] = x[j] / sum[j] x[j]", "y[j] = x[j] / (sum[j] x[j]) * w[j]",
        "y[j] = x[j] / sum[j] (x[j] * w[j])", "y[j] = x[j] / sum[j](x[j]) * w[j]",
        "y[i] = v[i] / sum[j] A[i,j] * x[j]", "y[j] = x[j] * sum[j] x[j] * w[j]",
        "y[j] = x[j] / sum[j] x[j] + w[j]", "y[j] = x[j] / (sum[j] x[j] * w[j])"}) {
    EXPECT_EQ(of_statement(statement), "") << statement;
  }
}

TEST(ProgramWarnings, AMacroIsWarnedOfWhereItIsUsed) {
  EXPECT_EQ(warnings_of("input x[i,j]\ndef both[k](a) = (sum[k] a) + (sum[k] 2 * a)\n"
                        "y[i] = both[j](x[i,j])\nz[i] = both[j](x[i,j])",
                        {{"x", "i8[3,300]"}}),
            "3:8 this sum of 300 values may wrap: its dtype i8 ends at 127\n"
            "4:8 this sum of 300 values may wrap: its dtype i8 ends at 127\n");
}

std::string of_number(const std::string& expression, const std::string& type) {
  return warnings_of("input x[i]\ny[i] = " + expression, {{"x", type}});
}

TEST(ProgramWarnings, NumbersThatADtypeDoesNotHold) {
  EXPECT_EQ(of_number("x[i] / 100000", "f16[3]"),
            "2:15 100000 becomes infinite in f16, whose largest number is smaller\n");
  EXPECT_EQ(of_number("1e-9 * x[i]", "f16[3]"),
            "2:8 1e-09 becomes 0 in f16, whose smallest number is larger\n");
  EXPECT_NE(of_number("x[i] * 2^20", "f16[3]"), "") << "folded";
  EXPECT_NE(of_number("where(x[i] > 0, x[i], -7e4)", "f16[3]"), "");
  EXPECT_NE(of_number("x[i] > 70000", "f16[3]"), "");
  EXPECT_NE(of_number("f16(1e6) + x[i]", "f16[3]"), "");
  EXPECT_NE(of_number("x[i] * 1e39", "bf16[3]"), "");
  EXPECT_NE(of_number("x[i] * 1e39", "f32[3]"), "");
  EXPECT_NE(of_number("x[i] * 1e-60", "f32[3]"), "");
  EXPECT_NE(of_number("x[i] * 1e39j", "c64[3]"), "");
}

TEST(ProgramWarnings, NumbersThatADtypeHolds) {
  EXPECT_EQ(of_number("x[i] / 60000", "f16[3]"), "");
  EXPECT_EQ(of_number("x[i] * 1e-7", "f16[3]"), "") << "subnormal";
  EXPECT_EQ(of_number("where(x[i] > 0, x[i], -inf) * 0", "f16[3]"), "") << "written so";
  EXPECT_EQ(of_number("f32(x[i]) / 100000", "f16[3]"), "");
  EXPECT_EQ(of_number("x[i] / 100000", "bf16[3]"), "");
  EXPECT_EQ(of_number("x[i] * 1e300", "f64[3]"), "");
  EXPECT_EQ(of_number("x[i] * 1e300", "i16[3]"), "") << "computed in f64";
  EXPECT_EQ(of_number("softmax[i](x[i])", "f16[3]"), "");
  EXPECT_EQ(of_number("layer_norm[i](x[i]) + rms_norm[i](x[i]) + gelu(x[i])", "f16[3]"), "");
}

TEST(ProgramWarnings, SayHowToHoldANumber) {
  const auto help_for = [](const std::string& expression, const std::string& type) {
    const auto result = bind_text("input x[i]\ny[i] = " + expression, data({{"x", type}}));
    return result.warnings()->found().front().help;
  };
  EXPECT_EQ(help_for("1 + x[i] / 100000", "f16[3]"),
            "compute in f32, which holds it: f32(x[i]) / 100000");
  EXPECT_EQ(help_for("1e300 - x[i]", "f16[3]"),
            "compute in f64, which holds it: 1e300 - f64(x[i])");
  EXPECT_EQ(help_for("where(x[i] > 0, x[i], 7e4)", "f16[3]"),
            "compute in f32, which holds it: f32(...)");
}

}  // namespace

}  // namespace tessera::frontend::program_warnings_test
