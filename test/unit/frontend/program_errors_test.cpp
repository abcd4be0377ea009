#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/frontend/program_fixture.h"

namespace tessera::frontend::program_errors_test {
namespace {

using testing::HasSubstr;

/// What is found in `input X[i,j], w[k]` (X f32[2,3], w f32[1]) followed by these statements.
std::string found(const std::string& statements) {
  return bound("input X[i,j], w[k]\n" + statements, data({{"X", "f32[2,3]"}, {"w", "f32[1]"}}));
}

TEST(ProgramErrors, TwoExtentsOfALabel) {
  EXPECT_EQ(found("Y[i] = sum[j] X[i,j] * X[j,i]"),
            "p.ein:2:26: error: label j is 3 in X[i,j] but 2 in X[j,i]\n"
            "  Y[i] = sum[j] X[i,j] * X[j,i]\n"
            "                           ^\n"
            "  and p.ein:2:19\n"
            "  Y[i] = sum[j] X[i,j] * X[j,i]\n"
            "                    ^\n"
            "  help: a label has one extent within a statement; one that is summed is local to its "
            "aggregate\n"
            "p.ein:2:28: error: label i is 2 in X[i,j] but 3 in X[j,i]\n"
            "  Y[i] = sum[j] X[i,j] * X[j,i]\n"
            "                             ^\n"
            "  and p.ein:2:17\n"
            "  Y[i] = sum[j] X[i,j] * X[j,i]\n"
            "                  ^\n"
            "  help: a label has one extent within a statement; one that is summed is local to its "
            "aggregate");
}

TEST(ProgramErrors, AnExtentOfOneIsNotRepeated) {
  EXPECT_EQ(found("Y[i,j] = X[i,j] * w[j]"),
            "p.ein:2:21: error: label j is 3 in X[i,j] but 1 in w[j]\n"
            "  Y[i,j] = X[i,j] * w[j]\n"
            "                      ^\n"
            "  and p.ein:2:14\n"
            "  Y[i,j] = X[i,j] * w[j]\n"
            "               ^\n"
            "  help: nothing is repeated to fit: sum the mode of extent 1 away first, "
            "T = sum[j] w[j], and read T without j; a mode of an input may also be named 1 in its "
            "header, and is then left out where it is read");
}

TEST(ProgramErrors, ALabelThatIsNowhere) {
  EXPECT_EQ(found("Y[i] = X[i,j]"),
            "p.ein:2:12: error: label j is neither on the left nor summed\n"
            "  Y[i] = X[i,j]\n"
            "             ^\n"
            "  help: write sum[j] or add j to Y[...]");
}

TEST(ProgramErrors, ALabelOutsideOfItsSum) {
  EXPECT_EQ(found("Y[i] = sum[j] X[i,j] + X[i,j]"),
            "p.ein:2:28: error: label j is summed, but not here: an aggregate takes only the "
            "product that follows it\n"
            "  Y[i] = sum[j] X[i,j] + X[i,j]\n"
            "                             ^\n"
            "  help: put parentheses around all that is summed: sum[j] (...)");
}

TEST(ProgramErrors, ALabelThatIsSummedAndOnTheLeft) {
  EXPECT_EQ(found("Y[i,j] = sum[j] X[i,j]"),
            "p.ein:2:5: error: label j is on the left, but on the right it is only summed\n"
            "  Y[i,j] = sum[j] X[i,j]\n"
            "      ^\n"
            "  help: take j from the left side, or from the labels of the aggregate");
}

TEST(ProgramErrors, ALabelWithoutExtent) {
  EXPECT_EQ(found("Y[q] = 1"),
            "p.ein:2:3: error: label q has no extent: no tensor is read with it\n"
            "  Y[q] = 1\n"
            "    ^\n"
            "  help: declare it before: label q = 10");
}

TEST(ProgramErrors, TooManyLabels) {
  EXPECT_EQ(found("Y[i,j] = X[i,j,j]"),
            "p.ein:2:10: error: X has 2 modes but is written with 3 labels\n"
            "  Y[i,j] = X[i,j,j]\n"
            "           ^^^^^^^^\n"
            "  and p.ein:1:7\n"
            "  input X[i,j], w[k]\n"
            "        ^^^^^^\n"
            "  help: X is f32[2,3]");
}

TEST(ProgramErrors, UnknownNamesAreGuessed) {
  EXPECT_EQ(found("weight = 1\nY = wieght"),
            "p.ein:3:5: error: there is no tensor or parameter wieght\n"
            "  Y = wieght\n"
            "      ^^^^^^\n"
            "  help: did you mean 'weight'?");
  EXPECT_THAT(found("Y[i,j] = sqtr(X[i,j])"), HasSubstr("did you mean 'sqrt'?"));
  EXPECT_THAT(found("Y[i] = smu[j] X[i,j]"), HasSubstr("did you mean 'sum'?"));
  EXPECT_THAT(found("Y[i,j] = softmx[j](X[i,j])"), HasSubstr("did you mean 'softmax'?"));
  EXPECT_THAT(bound("input X : flaot32", data({{"X", "f32[]"}})),
              HasSubstr("did you mean 'float32'?"));
}

TEST(ProgramErrors, AFailedStatementSpoilsOnlyItself) {
  EXPECT_EQ(found("Y[i] = nothing\nZ[i] = Y[i]\nU[i,q] = Z[i]"),
            "p.ein:2:8: error: there is no tensor or parameter nothing\n"
            "  Y[i] = nothing\n"
            "         ^^^^^^^\n"
            "  help: declare it: param nothing = 1.0");
}

TEST(ProgramErrors, OrderOfDefinitions) {
  EXPECT_EQ(found("Y = Z\nZ = 1\nU = U\nZ = 2"),
            "p.ein:2:5: error: Z is read before it is defined\n"
            "  Y = Z\n"
            "      ^\n"
            "  and p.ein:3:1\n"
            "  Z = 1\n"
            "  ^\n"
            "  help: move its definition up\n"
            "p.ein:4:5: error: U is read by the statement that defines it\n"
            "  U = U\n"
            "      ^\n"
            "  help: give the new value a name of its own; a program has no loops: steps repeat as "
            "versions of a table in SQL (doc/sql.md, Versions), or along a label as a scan, "
            "cumsum[i] x[i]\n"
            "p.ein:5:1: error: Z is defined already\n"
            "  Z = 2\n"
            "  ^\n"
            "  and p.ein:3:1\n"
            "  Z = 1\n"
            "  ^\n"
            "  help: a name means one thing in the whole program: choose another one");
}

TEST(ProgramErrors, DataAndHeaders) {
  EXPECT_EQ(bound("input X[i=2,j] : f64, Y[i], Z\nA = 1",
                  data({{"X", "f32[3,4]"}, {"Y", "f32[2,2]"}, {"W", "f32[]"}})),
            "p.ein:1:7: error: data is given for W, which the program does not declare\n"
            "  input X[i=2,j] : f64, Y[i], Z\n"
            "        ^\n"
            "  help: declare it: input W[...]\n"
            "p.ein:1:9: error: label i of X is 2 in the header but 3 in the data\n"
            "  input X[i=2,j] : f64, Y[i], Z\n"
            "          ^\n"
            "p.ein:1:18: error: X is f64 in its header but f32 in the data\n"
            "  input X[i=2,j] : f64, Y[i], Z\n"
            "                   ^^^\n"
            "  help: leave the dtype out and convert where it is read: f64(X[...])\n"
            "p.ein:1:23: error: Y has 2 modes but is written with 1 label\n"
            "  input X[i=2,j] : f64, Y[i], Z\n"
            "                        ^^^^\n"
            "  help: the data is f32[2,2]\n"
            "p.ein:1:29: error: there is no data for the input Z\n"
            "  input X[i=2,j] : f64, Y[i], Z\n"
            "                              ^\n"
            "  help: it has no modes: a number will do, Z=1.0");
}

TEST(ProgramErrors, NamesOfOtherLanguagesSayWhatToWrite) {
  const std::map<std::string, std::string> cures = {
      {"Y[i] = mod(X[i,i], 2)", "help: write a % b"},
      {"Y[i] = pow(X[i,i], 2)", "help: write a ^ b"},
      {"Y[i] = ln(X[i,i])", "help: write log(x)"},
      {"Y[i] = absolute(X[i,i])", "help: write abs(x)"},
      {"Y = matmul(X, w)", "help: write the sum of products: sum[k] A[i,k] * B[k,j]"},
      {"Y[i] = sort[i](X[i,i])", "help: nothing sorts yet"},
      {"Y[i] = flip(X[i,i])", "help: read backwards: X[size(i) - 1 - i]"},
      {"Y[i] = amax[j] X[i,j]", "help: write max[i] x[i]"},
      {"Y[i] = arctan2(X[i,i], 1)", "help: write atan2(y, x)"}};
  for (const auto& [statement, cure] : cures) {
    EXPECT_THAT(found(statement), HasSubstr("there is no function, macro or aggregate"));
    EXPECT_THAT(found(statement), HasSubstr(cure));
  }
  EXPECT_THAT(found("def mod(x, y) = x % y\nY = mod(7, 4)"), HasSubstr("Y: i64[] = 3"));
}

TEST(ProgramErrors, WordsOfOtherLanguagesSayWhatToWrite) {
  EXPECT_THAT(found("Y[i] == X[i,i]"),
              HasSubstr("help: a statement is NAME[labels] = expression; == compares two values"));
  EXPECT_THAT(found("Y == 3"), HasSubstr("== compares two values"));
  EXPECT_THAT(found("Y[i] = 1 < X[i,i] < 2"), HasSubstr("comparisons do not chain"));
  EXPECT_THAT(found("Y[i] = X[i,i] if X[i,i] > 0 else 0"),
              HasSubstr("help: a choice is where(condition, a, b)"));
  EXPECT_THAT(bound("param x = 1; Y = x if x > 0 else 0"), HasSubstr("a choice is where("));
  EXPECT_THAT(bound("inputs X[i]\nY = 1"), HasSubstr("help: did you mean 'input'?"));
  EXPECT_THAT(bound("Y = 1; outputs Y"), HasSubstr("help: did you mean 'output'?"));
  EXPECT_THAT(bound("parameter eta = 1\nY = 1"), HasSubstr("help: did you mean 'param'?"));
}

TEST(ProgramErrors, ConstantsAreNoLabels) {
  EXPECT_THAT(found("Y[0] = 1"),
              HasSubstr("error: a statement defines a tensor, not one position of it"));
  EXPECT_THAT(found("Y[i] = sum[1] X[i,j]"),
              HasSubstr("sum takes labels, not the numbers of modes\n"));
  EXPECT_THAT(found("Y[i] = softmax[0](X[i,j])"),
              HasSubstr("help: write softmax[i] x[i], with the label of the mode"));
  EXPECT_THAT(found("param n = 0.5\nY[i] = X[i,n]"), HasSubstr("an index is an integer"));
  EXPECT_THAT(found("Y[i] = sum[j] X[i,j] / size(w)"),
              HasSubstr("w is a tensor, and size takes a label\n"));
}

TEST(ProgramErrors, AMacroIsNamed) {
  EXPECT_THAT(
      bound("input z[i], x[i]\nY[i] = softmax[i](z[i])", data({{"z", "c64[3]"}, {"x", "f32[3]"}})),
      HasSubstr("in the macro softmax: max is not defined for c64"));
  EXPECT_THAT(
      bound("input z[i], x[i]\nY[i] = leaky_relu(z[i])", data({{"z", "c64[3]"}, {"x", "f32[3]"}})),
      HasSubstr("in the macro leaky_relu: greater is not defined for c64"));
  // The macro that the user wrote, not one inside of it.
  EXPECT_THAT(bound("input z[i], x[i]\ndef f(x) = leaky_relu(x)\nY[i] = f(z[i])",
                    data({{"z", "c64[3]"}, {"x", "f32[3]"}})),
              HasSubstr("in the macro f: greater is not defined for c64"));
  // An argument is the user's own.
  EXPECT_THAT(bound("input z[i], x[i]\nY[i] = softmax[i](x[i] + floor(z[i]))",
                    data({{"z", "c64[3]"}, {"x", "f32[3]"}})),
              HasSubstr("error: floor is not defined for c64"));
}

TEST(ProgramErrors, AMacroKeepsItsLabels) {
  EXPECT_EQ(found("Y[i] = softmax[j](X[i,j])"),
            "p.ein:2:23: error: softmax keeps the label j, and j is not on the left\n"
            "  Y[i] = softmax[j](X[i,j])\n"
            "                        ^\n"
            "  help: add j to Y[...], or reduce the result of softmax over it");
  EXPECT_THAT(found("Y[i] = norm[i](softmax[j](X[i,j]))"),
              HasSubstr("softmax keeps the label j, and j is not on the left"));
  EXPECT_THAT(found("Y[i] = softmax[i](X[i,j])"),
              HasSubstr("label j is neither on the left nor summed"));
}

TEST(ProgramErrors, InputsAreNoParameters) {
  EXPECT_THAT(bound("input a\nY = a", data({{"a", "f32[]"}}, {{"a", int64_t{1}}})),
              HasSubstr("a parameter's value is given for a, but a is an input\n"));
  EXPECT_THAT(bound("param a = 2\nY = a", data({{"a", "f32[]"}})),
              HasSubstr("data is given for a, but a is a parameter\n"));
}

TEST(ProgramErrors, LabelsOfOneInputStatementAgree) {
  EXPECT_EQ(bound("input A[i,k], B[k,j]\nC = 1", data({{"A", "f32[2,3]"}, {"B", "f32[4,5]"}})),
            "p.ein:1:17: error: label k is 3 in A[i,k] but 4 in B[k,j]\n"
            "  input A[i,k], B[k,j]\n"
            "                  ^\n"
            "  and p.ein:1:11\n"
            "  input A[i,k], B[k,j]\n"
            "            ^\n"
            "  help: labels of one input statement agree: use another label, or a statement for "
            "each");
}

TEST(ProgramErrors, UnknownParameter) {
  EXPECT_EQ(bound("param eta = 0.1\nY = eta", data({}, {{"eat", 2.0}})),
            "p.ein:1:7: error: a value is given for eat, which the program does not declare\n"
            "  param eta = 0.1\n"
            "        ^^^\n"
            "  help: did you mean 'eta'?");
  EXPECT_THAT(bound("param eta\nY = eta"), HasSubstr("parameter eta has no value"));
}

TEST(ProgramErrors, SyntaxErrorsDoNotHideEachOther) {
  EXPECT_EQ(bound("A = 1 +* 2\nB = (1\nC = 1 2\nD = 1 < 2 < 3\nE = 2x\nF = a × b\nG ="),
            "p.ein:1:8: error: unexpected *\n"
            "  A = 1 +* 2\n"
            "         ^\n"
            "p.ein:2:5: error: ( is not closed\n"
            "  B = (1\n"
            "      ^\n"
            "p.ein:4:11: error: unexpected <\n"
            "  D = 1 < 2 < 3\n"
            "            ^\n"
            "  help: comparisons do not chain: write a < b and b < c\n"
            "p.ein:5:5: error: 2x is neither a number nor a name\n"
            "  E = 2x\n"
            "      ^^\n"
            "  help: names start with a letter; a product is written with *\n"
            "p.ein:6:7: error: × is no letter and no sign of the language\n"
            "  F = a × b\n"
            "        ^\n"
            "  help: the operators are + - * / // % ^ == != < <= > >= and or not\n"
            "p.ein:7:3: error: the statement ends too early\n"
            "  G =\n"
            "    ^");
}

TEST(ProgramErrors, WhatIsNotBuiltSaysSo) {
  const std::string text = found(
      "A[i] = X[i,0]\nC[i] = X[i,0:2]\nD[i,j] = X[i,j]\n"
      "E{n+1}[i] = E{n}[i]\nF[j] = gradient(A, X)[j]\n");
  EXPECT_THAT(text, HasSubstr("3:12: error: a slice says which label runs over it"));
  EXPECT_THAT(text, HasSubstr("5:2: unsupported: a version of a tensor"));
  EXPECT_THAT(text, HasSubstr("6:8: unsupported: a gradient"));
  EXPECT_EQ(Error(bind_text("A{n} = 1", {}).diagnostics()).kind(), ErrorKind::unsupported);
}

TEST(ProgramErrors, LawsHoldForTheStatesOfEveryUse) {
  const std::string balance =
      "input x[n]\n"
      "aggregate balance((a, l, h), (c, m, k)) = (a + c, min(k, max(m, l + c)), "
      "min(k, max(m, h + c))) identity (0, -inf, inf) gives l\n";
  const std::string sum = "input x[n]\naggregate filled(x, y) = min(5, x + y) identity 0\n";
  const auto of_x = [](const std::string& text) {
    const Result<einsum::Graph> result = bind_text(text, data({{"x", "f64[4]"}}));
    return result.ok() ? "" : result.diagnostics().render();
  };
  EXPECT_EQ(of_x(balance + "Y[n] = scan[n] balance(x[n], min(5, max(0, x[n])), 5 + 0 * x[n])"), "");
  EXPECT_THAT(of_x(balance + "Y[n] = scan[n] balance(x[n], x[n], -x[n])"),
              HasSubstr("balance is no aggregate"));
  EXPECT_EQ(of_x(sum + "Y = filled[n] abs(x[n])"), "");
  EXPECT_THAT(of_x(sum + "Y = filled[n] abs(x[n])\nZ = filled[n] x[n]"),
              HasSubstr("filled is no aggregate: the grouping must not matter"));
  EXPECT_THAT(of_x(sum + "Y = sum[n] x[n]"), HasSubstr("filled is no aggregate"));
}

TEST(ProgramErrors, AggregatesThatAreNone) {
  EXPECT_EQ(bound("aggregate minus(x, y) = x - y identity 0\nY = 1"),
            "p.ein:1:25: error: minus is no aggregate: its identity must change nothing, but "
            "minus(0, 3.0) is -3.0\n"
            "  aggregate minus(x, y) = x - y identity 0\n"
            "                          ^^^^^");
  EXPECT_THAT(bound("aggregate second(x, y) = y identity 0\nlabel i = 3\nY = second[i] 1"),
              HasSubstr("the order must not matter, but second(3.0, -2.0) is -2.0 and "
                        "second(-2.0, 3.0) is 3.0"));
  EXPECT_THAT(bound("aggregate sum(x, y) = x + y identity 0\nY = 1"),
              HasSubstr("there is an aggregate sum already"));
}

TEST(ProgramErrors, Macros) {
  EXPECT_THAT(bound("def f(x) = f(x)\nY = f(1)"), HasSubstr("the macro f uses itself"));
  EXPECT_THAT(bound("def f(x) = g(x)\ndef g(x) = f(x)\nY = f(1)"),
              HasSubstr("the macro f uses itself"));
  EXPECT_THAT(found("def f(x) = x * w[k]\nY[k] = f(1)"),
              HasSubstr("label k in the macro f is neither one of its labels nor summed"));
  EXPECT_THAT(found("Y[i] = softmax(X[i,i])"),
              HasSubstr("softmax takes 1 or more labels and 1 argument, not 0 and 1"));
  EXPECT_THAT(found("Y[i] = attention[i](X[i,j], X[i,j], X[i,j])"),
              HasSubstr("attention takes 2 labels and 3 to 5 arguments, not 1 and 3"));
  EXPECT_THAT(found("Y[i] = attention[j,j](X[i,j], X[i,j], X[i,j])"),
              HasSubstr("label j stands twice in attention[...]"));
  EXPECT_THAT(found("Y[i] = softmax[j,j](X[i,j])"),
              HasSubstr("label j stands twice in softmax[...]"));
  EXPECT_THAT(bound("def f(x = 1, y) = x + y\nY = f(1)"),
              HasSubstr("y has no value, but x before it has one"));
  EXPECT_THAT(bound("def f(x = x) = x\nY = f()"), HasSubstr("nested more than 1100 deep"));
  EXPECT_THAT(bound("def a(x) = x + x\ndef b(x) = a(a(a(a(a(x)))))\nY = b(b(b(b(1))))"),
              HasSubstr("more than 10000 parts"));
}

TEST(ProgramErrors, MacrosThatDoubleAreGivenUpInTime) {
  const auto doubled = [](const std::string& innermost) {
    std::string program = "def f0(x) = " + innermost + "\n";
    for (int level = 1; level < 60; ++level) {
      program += fmt::format("def f{0}(x) = f{1}(x) + f{1}(f{1}(x))\n", level, level - 1);
    }
    return program + "Y = f59(1)";
  };
  EXPECT_THAT(bound(doubled("x + x")), HasSubstr("more than 10000 parts"));
  EXPECT_THAT(bound(doubled("unknown + unknown")), HasSubstr("no tensor or parameter unknown"));
}

TEST(ProgramErrors, DeepNestingIsAnErrorNotACrash) {
  const std::string deep(100000, '-');
  EXPECT_THAT(bound("Y = " + deep + "1"), HasSubstr("nested more than 1100 deep"));
  EXPECT_THAT(bound("Y = " + std::string(100000, '(') + "1"), HasSubstr("( is not closed"));
  EXPECT_THAT(bound("Y = " + std::string(20000, '(') + "1" + std::string(20000, ')')).substr(0, 3),
              "Y: ");
  std::string product = "1";
  for (int factor = 1; factor < 1000; ++factor) {
    product += " * 1";
  }
  EXPECT_THAT(bound("Y = " + product), Not(HasSubstr("nested")));
}

TEST(ProgramErrors, NumbersThatDoNotFit) {
  EXPECT_THAT(bound("input x\nY = x + 300", data({{"x", "u8[]"}})),
              HasSubstr("2:5: error: 300 does not fit in u8"));
  EXPECT_THAT(bound("Y = 1 // 0"), HasSubstr("floor_divide of these integers divides by zero"));
  EXPECT_THAT(bound("label i = -1\nY = 1"), HasSubstr("the extent of label i is -1"));
  EXPECT_THAT(bound("label i = 10^9; label j = 10^9\nY[i,j] = 1"),
              HasSubstr("i64[1000000000,1000000000] has more than 2^60 bytes"));
  EXPECT_THAT(bound("label h = 0; label i = 10^10; label j = 10^10\nY[h,i,j] = 1"),
              HasSubstr("i64[0,10000000000,10000000000] has more than 2^60 bytes"));
  EXPECT_THAT(bound("input x[h,i,j]\nY = x", data({{"x", "u8[0,10000000000,10000000000]"}})),
              HasSubstr("1:7: error: x is u8[0,10000000000,10000000000]: more than 2^60 bytes"));
  EXPECT_THAT(bound("Y = 99999999999999999999"), HasSubstr("too large for an integer"));
}

TEST(ProgramErrors, WordsInTheWrongPlace) {
  EXPECT_THAT(found("Y = sum(1)"), HasSubstr("sum is an aggregate and needs labels"));
  EXPECT_THAT(found("Y[i] = i"), HasSubstr("i is a label"));
  EXPECT_THAT(found("Y[i,j] = X[i,j] (2)"), HasSubstr("X is a tensor, not an aggregate"));
  EXPECT_THAT(found("Y[i] = exp[i](1)"), HasSubstr("exp is a function of numbers"));
  EXPECT_THAT(found("Y[i] = sum[j] -X[i,j]"), HasSubstr("sum has nothing to work on"));
  EXPECT_THAT(found("output = 3"), HasSubstr("unexpected ="));
  EXPECT_THAT(found("Y[i,i] = X[i,i]"), HasSubstr("label i stands twice on the left"));
  EXPECT_THAT(found("Y = 1\noutput Yy"), HasSubstr("there is no tensor Yy to put out"));
  EXPECT_THAT(bound(""), HasSubstr("the program computes nothing"));
  EXPECT_THAT(bound("Y = \xff"), HasSubstr("byte 0xff is not UTF-8 text"));
  EXPECT_THAT(bound(std::string("Y = \0", 5)), HasSubstr("byte 0x00 is a control character"));
}

}  // namespace
}  // namespace tessera::frontend::program_errors_test
