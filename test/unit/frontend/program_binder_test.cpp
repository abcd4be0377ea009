#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/frontend/program_fixture.h"

namespace tessera::frontend::program_binder_test {
namespace {

using testing::HasSubstr;

TEST(ProgramBinder, MatrixProductIsOneVertex) {
  EXPECT_EQ(bound("input A[i,k], B[k,j]\nC[i,j] = sum[k] A[i,k] * B[k,j]\noutput C",
                  data({{"A", "f32[2,3]"}, {"B", "f32[3,4]"}})),
            "C: f32[i=2,j=4] = sum[k=3] A[i,k] * B[k,j]\n"
            "output C");
}

TEST(ProgramBinder, ConstantsAreFoldedIntoOneVertex) {
  EXPECT_EQ(bound("input Q[s,d], K[t,d]\nT[s,t] = sum[d] Q[s,d] * K[t,d] / sqrt(size(d))",
                  data({{"Q", "f32[2,64]"}, {"K", "f32[3,64]"}})),
            "T: f32[s=2,t=3] = sum[d=64] Q[s,d] * K[t,d] / 8.0\n"
            "output T");
}

TEST(ProgramBinder, InnerAggregatesAreVerticesMadeOnce) {
  EXPECT_EQ(bound("input X[i,j]\nY[i,j] = softmax[j](X[i,j])", data({{"X", "f32[2,3]"}})),
            "Y.1: f32[i=2] = max[j=3] X[i,j]\n"
            "Y.2: f32[i=2] = sum[j=3] exp(X[i,j] - Y.1[i])\n"
            "Y: f32[i=2,j=3] = exp(X[i,j] - Y.1[i]) / Y.2[i]\n"
            "output Y");
}

TEST(ProgramBinder, AnAggregateTakesTheProductThatFollows) {
  const Bindings bindings = data({{"a", "f32[3]"}, {"b", "f32[3]"}, {"c", "f32[]"}});
  EXPECT_EQ(bound("input a[d], b[d], c\nY = sum[d] a[d]*b[d] + c", bindings),
            "Y.1: f32[] = sum[d=3] a[d] * b[d]\n"
            "Y: f32[] = Y.1[] + c[]\n"
            "output Y");
  // With the parenthesis right after the bracket it is a call.
  EXPECT_EQ(bound("input a[d], b[d], c\nY = sum[d](a[d])^2", bindings),
            "Y.1: f32[] = sum[d=3] a[d]\n"
            "Y: f32[] = Y.1[] ^ 2\n"
            "output Y");
  EXPECT_EQ(bound("input a[d], b[d], c\nY = sum[d] (a[d] - b[d])^2", bindings),
            "Y: f32[] = sum[d=3] (a[d] - b[d]) ^ 2\n"
            "output Y");
}

TEST(ProgramBinder, SummedLabelsAreLocal) {
  EXPECT_EQ(bound("input B[i,j]\ninput C[i,j]\nY[i] = sum[j] B[i,j] + sum[j] C[i,j]",
                  data({{"B", "f32[2,3]"}, {"C", "f32[2,5]"}})),
            "Y.1: f32[i=2] = sum[j=3] B[i,j]\n"
            "Y.2: f32[i=2] = sum[j=5] C[i,j]\n"
            "Y: f32[i=2] = Y.1[i] + Y.2[i]\n"
            "output Y");
}

TEST(ProgramBinder, AnInnerLabelShadowsTheOuter) {
  EXPECT_EQ(bound("input E[i,j]\nY[i,j] = E[i,j] / (sum[j] E[i,j])", data({{"E", "f64[2,3]"}})),
            "Y.1: f64[i=2] = sum[j=3] E[i,j]\n"
            "Y: f64[i=2,j=3] = E[i,j] / Y.1[i]\n"
            "output Y");
}

TEST(ProgramBinder, MacrosAreHygienic) {
  // The macro's own k must not capture the caller's.
  EXPECT_EQ(bound("input A[k], Z[k]\n"
                  "def weighed(x) = sum[k] x * Z[k]\n"
                  "Y[k] = weighed(A[k])",
                  data({{"A", "f32[3]"}, {"Z", "f32[3]"}})),
            "Y: f32[k=3] = sum[k_2=3] A[k] * Z[k_2]\n"
            "output Y");
}

TEST(ProgramBinder, AComparisonWithANumberThatDoesNotFitIsKnown) {
  const Bindings bindings = data({{"x", "u8[]"}, {"y", "i8[]"}, {"z", "u64[]"}});
  const auto known = [&](const std::string& comparison) {
    return bound("input x, y, z\nY = " + comparison, bindings);
  };
  for (const char* holds : {"x > -1", "x >= -1", "-1 < x", "x != -1", "x != 256", "x < 256",
                            "256 >= x", "y > -129", "y < 128", "z > -1"}) {
    EXPECT_EQ(known(holds), "Y: b1[] = true:b1\noutput Y") << holds;
  }
  for (const char* fails : {"x < -1", "x <= -1", "-1 > x", "x == -1", "x == 256", "x > 256",
                            "256 <= x", "y < -129", "y > 128", "z <= -1"}) {
    EXPECT_EQ(known(fails), "Y: b1[] = false:b1\noutput Y") << fails;
  }
  EXPECT_EQ(known("x > 255"), "Y: b1[] = x[] > 255\noutput Y");
  EXPECT_THAT(known("x + -1"), HasSubstr("-1 does not fit in u8"));
}

TEST(ProgramBinder, ALineThatStartsWithAnOperatorGoesOn) {
  const Bindings bindings = data({{"a", "f32[]"}, {"b", "f32[]"}});
  for (const char* sign : {"+", "-", "*", "/", "//", "%", "^", "==", "!=", "<", "<=", ">", ">="}) {
    const std::string on_one_line = fmt::format("input a, b\nY = a {} b\nZ = 1", sign);
    const std::string on_two =
        fmt::format("input a, b\nY = a  # first\n\n  # second: + c\n\t {} b\nZ = 1", sign);
    EXPECT_EQ(bound(on_two, bindings), bound(on_one_line, bindings)) << sign;
  }
  EXPECT_EQ(bound("input a, b\nY = a > 1\n  and b > 1\n  or(a == b)", bindings),
            bound("input a, b\nY = a > 1 and b > 1 or (a == b)", bindings));
  // A name that starts like an operator's word starts a statement, and `;` ends one.
  EXPECT_EQ(bound("Y = 1\nandy = 2\nor_1 = 3\norø = 4"),
            "Y: i64[] = 1:i64\nandy: i64[] = 2:i64\nor_1: i64[] = 3:i64\norø: i64[] = 4:i64\n"
            "output Y andy or_1 orø");
  EXPECT_THAT(bound("Y = 1;\n+ 2"), HasSubstr("unexpected +"));
}

TEST(ProgramBinder, TheSizeOfALabelIsKnownOutsideOfItsAggregate) {
  const Bindings bindings = data({{"Q", "f32[2,64]"}, {"K", "f32[3,64]"}});
  EXPECT_EQ(
      bound("input Q[s,d], K[t,d]\nT[s,t] = (sum[d] Q[s,d] * K[t,d]) / sqrt(size(d))", bindings),
      "T.1: f32[s=2,t=3] = sum[d=64] Q[s,d] * K[t,d]\n"
      "T: f32[s=2,t=3] = T.1[s,t] / 8.0\n"
      "output T");
  // The statement's own label is meant before the header's.
  EXPECT_EQ(bound("input Q[s,d], K[t,d]\nN = size(d) - (sum[s] 0 * index(s)) + size(s)", bindings),
            bound("input Q[s,d], K[t,d]\nN = 64 - (sum[s] 0 * index(s)) + 2", bindings));
  EXPECT_EQ(bound("input Q[s,d], K[t,e]\nY = 0.5 * size(s) * (sum[s,e] K[s,e])", bindings),
            bound("input Q[s,d], K[t,e]\nY = 0.5 * 3 * (sum[s,e] K[s,e])", bindings));
  EXPECT_THAT(
      bound("input Q[s,d], K[t,e]\nY = (sum[s,d] Q[s,d]) + (sum[s,e] K[s,e]) / size(s)", bindings),
      HasSubstr("size(s) is 2 in Q[s,d] but 3 in K[s,e], and stands outside of both"));
  EXPECT_THAT(bound("input Q[s,d], K[t,e]\nY = size(n)", bindings),
              HasSubstr("there is no label n whose extent is known"));
}

TEST(ProgramBinder, AModeNamedOneIsLeftOutWhereItIsRead) {
  const Bindings bindings = data({{"y", "f32[3,1]"}, {"z", "f32[1]"}, {"X", "f32[1,3,1]"}});
  EXPECT_EQ(bound("input y[i,1], z[1], X[1,i,1]\nY[i] = y[i] * z + X[i]", bindings),
            "Y: f32[i=3] = y[i,0] * z[0] + X[0,i,0]\n"
            "output Y");
  EXPECT_EQ(bound("input y[i,1]\nY = sum[i] y[i]", bindings).substr(0, 2), "p.");  // X, z
  EXPECT_THAT(bound("input y[1,i], z[1], X[1,i,1]\nY = 1", bindings),
              HasSubstr("mode 1 of y is named 1 but has extent 3 in the data"));
  EXPECT_THAT(bound("input y[i,1], z[1], X[1,i,1]\nY[i] = y[i,1]", bindings),
              HasSubstr("reads of y leave out what its header names 1\n"));
  EXPECT_THAT(bound("input y[i,1], z[1], X[1,i,1]\nY[i] = y[i] + X", bindings),
              HasSubstr("X has 1 mode but is written with 0 labels"));
  EXPECT_THAT(bound("input y[i,2]\nY[i] = y[i]", bindings),
              HasSubstr("a mode is named by a label, or 1 where its extent is 1, not 2"));
}

TEST(ProgramBinder, ALabelParameterMayStandForSeveral) {
  const Bindings bindings = data({{"X", "f32[2,3,4]"}, {"W", "f32[3,4]"}});
  EXPECT_EQ(bound("input X[b,h,w], W[h,w]\n"
                  "def weighed[j](x) = sum[j] x * W[j] * size(j)\n"
                  "Y[b] = weighed[h,w](X[b,h,w])",
                  bindings),
            "Y: f32[b=2] = sum[h=3,w=4] X[b,h,w] * W[h,w] * 12\n"
            "output Y");
  EXPECT_EQ(bound("input X[b,h,w]\n"
                  "def moment[j](x) = sum[j] x * index(j)\n"
                  "def outer[k](x) = moment[k](x)\n"
                  "Y[b] = outer[h,w](X[b,h,w])",
                  data({{"X", "f32[2,3,4]"}})),
            "Y: f64[b=2] = sum[h=3,w=4] f64(X[b,h,w]) * f64(index(h) * 4 + index(w))\n"
            "output Y");
}

TEST(ProgramBinder, ArgumentsOfMacrosMayBeLeftOut) {
  const Bindings bindings = data({{"x", "f32[3]"}});
  const std::string head = "input x[i]\ndef f(a, b = 2 * a, c = 1) = a + b / c\n";
  EXPECT_EQ(bound(head + "Y[i] = f(x[i])", bindings),
            "Y: f32[i=3] = x[i] + 2 * x[i] / 1\noutput Y");
  EXPECT_EQ(bound(head + "Y[i] = f(x[i], 3, 4)", bindings), "Y: f32[i=3] = x[i] + 0.75\noutput Y");
}

TEST(ProgramBinder, AKnownConditionChoosesBeforeTheRun) {
  EXPECT_EQ(bound("input x[i]\nparam masks = true\nY[i] = where(masks, x[i], 0.5)",
                  data({{"x", "f32[3]"}})),
            "Y: f32[i=3] = x[i]\noutput Y");
  EXPECT_EQ(bound("input x[i]\nY[i] = where(false, f64(x[i]), x[i])", data({{"x", "f32[3]"}})),
            "Y: f64[i=3] = f64(x[i])\noutput Y");
}

TEST(ProgramBinder, ALabelParameterBindsTheArgumentsLabel) {
  EXPECT_EQ(bound("input A[i,t]\ndef total[j](x) = sum[j] x\nY[i] = total[t](A[i,t])",
                  data({{"A", "f32[2,3]"}})),
            "Y: f32[i=2] = sum[t=3] A[i,t]\n"
            "output Y");
}

TEST(ProgramBinder, AUsersMacroWinsOverThePrelude) {
  EXPECT_EQ(
      bound("input A[i]\ndef softmax[j](x) = x\nY[i] = softmax[i](A[i])", data({{"A", "f32[2]"}})),
      "Y: f32[i=2] = A[i]\n"
      "output Y");
}

TEST(ProgramBinder, MacrosOfMacros) {
  EXPECT_EQ(
      bound("input A[i,j]\nY[i,j] = softmax[j](softmax[j](A[i,j]))", data({{"A", "f32[1,2]"}}))
          .find("error"),
      std::string::npos);
}

TEST(ProgramBinder, LabelsOfNoOperandTakeDeclaredSizes) {
  EXPECT_EQ(bound("label i = 2 + 3\nY[i] = index(i)"),
            "Y: i64[i=5] = index(i)\n"
            "output Y");
  EXPECT_EQ(
      bound("input X[i,j]\nY[i,k] = X[i,i]\nlabel k = 2", data({{"X", "f32[3,3]"}})).substr(0, 14),
      "p.ein:2:5: err");
}

TEST(ProgramBinder, InputHeadersGiveSizes) {
  EXPECT_EQ(bound("input X[i,j]\nY[j] = 1", data({{"X", "f32[3,4]"}})),
            "Y: i64[j=4] = 1:i64\n"
            "output Y");
}

TEST(ProgramBinder, Diagonals) {
  EXPECT_EQ(bound("input X[i,j]\nY = sum[i] X[i,i]", data({{"X", "f32[3,3]"}})),
            "Y: f32[] = sum[i=3] X[i,i]\n"
            "output Y");
}

TEST(ProgramBinder, OutputsAreWhatNothingReads) {
  EXPECT_EQ(bound("input X\nA = X\nB = A\nC = A", data({{"X", "f32[]"}})),
            "A: f32[] = X[]\nB: f32[] = A[]\nC: f32[] = A[]\noutput B C");
  EXPECT_EQ(bound("input X\nA = X\nB = A\noutput A, X", data({{"X", "f32[]"}})),
            "A: f32[] = X[]\nB: f32[] = A[]\noutput A X");
}

TEST(ProgramBinder, NumbersAreWeak) {
  const auto dtype_of = [](const std::string& expression, const std::string& type) {
    Result<einsum::Graph> graph =
        bind_text("input x\ny = " + expression, data({{"x", type + "[]"}}));
    return graph.ok() ? std::string(name_of(graph.value().vertices.back().type.dtype))
                      : graph.diagnostics().render();
  };
  EXPECT_EQ(dtype_of("x + 1", "f32"), "f32");
  EXPECT_EQ(dtype_of("x + 1", "f16"), "f16");
  EXPECT_EQ(dtype_of("x * 0.5", "bf16"), "bf16");
  EXPECT_EQ(dtype_of("x + 1", "u8"), "u8");
  EXPECT_EQ(dtype_of("x + 1.0", "i32"), "f64");
  EXPECT_EQ(dtype_of("x + 1", "b1"), "i64");
  EXPECT_EQ(dtype_of("x + 1j", "f32"), "c64");
  EXPECT_EQ(dtype_of("x + 1j", "f64"), "c128");
  EXPECT_EQ(dtype_of("x + 1j", "i8"), "c128");
  EXPECT_EQ(dtype_of("x / 2", "i32"), "f64");
  EXPECT_EQ(dtype_of("x / sqrt(64)", "f32"), "f32");
  EXPECT_EQ(dtype_of("where(1 < 2, x, 0.0)", "f32"), "f32");
  EXPECT_EQ(dtype_of("where(index(i) < 2, 1, 0)", "f32").find("error") != std::string::npos, true);
  EXPECT_EQ(dtype_of("x == 1", "f32"), "b1");
  EXPECT_EQ(dtype_of("max(x, 1, 2)", "i16"), "i16");
  EXPECT_EQ(dtype_of("f16(x)", "f64"), "f16");
  EXPECT_EQ(dtype_of("int64(x)", "f64"), "i64");
}

TEST(ProgramBinder, ConstantExpressionsFollowPython) {
  const auto value_of = [](const std::string& expression) {
    const std::string text = bound("y = " + expression);
    return text.substr(text.find('=') + 2, text.find('\n') - text.find('=') - 2);
  };
  EXPECT_EQ(value_of("2^-1"), "0.5:f64");
  EXPECT_EQ(value_of("2^3^2"), "512:i64");
  EXPECT_EQ(value_of("-2^2"), "-4:i64");
  EXPECT_EQ(value_of("7 // 2 + 7 % 4"), "6:i64");
  EXPECT_EQ(value_of("-7 // 2"), "-4:i64");
  EXPECT_EQ(value_of("1 / 4"), "0.25:f64");
  EXPECT_EQ(value_of("not 1 == 2"), "true:b1");
  EXPECT_EQ(value_of("2 * 3j"), "(0+6j):c128");
  EXPECT_EQ(value_of("1 < 2 and not false"), "true:b1");
  EXPECT_EQ(value_of("-inf"), "-inf:f64");
}

TEST(ProgramBinder, ParametersAreSetFromOutside) {
  const std::string text = "input x\nparam eta = 0.5\ny = x * eta";
  EXPECT_EQ(bound(text, data({{"x", "f32[]"}})), "y: f32[] = x[] * 0.5\noutput y");
  EXPECT_EQ(bound(text, data({{"x", "f32[]"}}, {{"eta", 2.0}})), "y: f32[] = x[] * 2.0\noutput y");
}

TEST(ProgramBinder, ParametersSizeInputsAndLabels) {
  EXPECT_EQ(bound("param n = 2\ninput x[i=2*n]\nlabel j = n^2 - 1\ny[i,j] = x[i]",
                  data({{"x", "f32[4]"}})),
            "y: f32[i=4,j=3] = x[i]\noutput y");
}

TEST(ProgramBinder, AConditionGuardsWhatAnAggregateTakes) {
  const Bindings bindings = data({{"X", "f32[3]"}, {"M", "i32[3]"}});
  Result<einsum::Graph> graph =
      bind_text("input X[i], M[i]\nY = sum[i where M[i]] 2 * X[i]", bindings);
  ASSERT_TRUE(graph.ok()) << graph.diagnostics().render();
  EXPECT_EQ(vertex_text(graph.value(), graph.value().vertices.back()),
            "Y: f32[] = sum[i=3] only(b1(M[i]), 2 * X[i])");
}

TEST(ProgramBinder, EveryAggregateThatBindsTheLabelsOfAGroupIsGuarded) {
  const Bindings bindings = data({{"X", "f32[3]"}, {"G", "i32[3]"}, {"W", "f32[4]"}});
  Result<einsum::Graph> graph = bind_text(
      "input X[i], G[i], W[g]\nY[g = G[i]] = W[g] * (sum[i] X[i]) / (max[i] X[i])", bindings);
  ASSERT_TRUE(graph.ok()) << graph.diagnostics().render();
  const std::vector<einsum::Vertex>& vertices = graph.value().vertices;
  EXPECT_EQ(vertex_text(graph.value(), vertices[3]),
            "Y.1: f32[g=4] = sum[i=3] only(in_group(i64(G[i]), index(g), 4), X[i])");
  EXPECT_EQ(vertex_text(graph.value(), vertices[4]),
            "Y.2: f32[g=4] = max[i=3] only(in_group(i64(G[i]), index(g), 4), X[i])");
}

TEST(ProgramBinder, WhatAConditionLeavesOutIsInNoGroup) {
  Result<einsum::Graph> graph =
      bind_text("input G[i]\nY[G[i] of 4] = sum[i where G[i] >= 0] 1", data({{"G", "i64[3]"}}));
  ASSERT_TRUE(graph.ok()) << graph.diagnostics().render();
  EXPECT_EQ(vertex_text(graph.value(), graph.value().vertices.back()),
            "Y: i64[G=4] = sum[i=3] only(logical_and(G[i] >= 0, in_group(where(G[i] >= 0, "
            "G[i], 0), index(G), 4)), 1:i64)");
}

TEST(ProgramBinder, UserAggregates) {
  Result<einsum::Graph> graph = bind_text(
      "input X[i]\naggregate logadd(x, y) = log(exp(x) + exp(y)) identity -inf\n"
      "Y = logadd[i] X[i]",
      data({{"X", "f32[3]"}}));
  ASSERT_TRUE(graph.ok()) << graph.diagnostics().render();
  const auto& einsum = std::get<einsum::EinSum>(graph.value().vertices.back().op);
  EXPECT_EQ(einsum.aggregate, "logadd");
  EXPECT_EQ(einsum.reduction->monoid.state, std::vector<DType>{DType::f32});
  EXPECT_TRUE(expr::is_plain(*einsum.reduction));
}

TEST(ProgramBinder, LinesContinueInsideBracketsAndAfterOperators) {
  EXPECT_EQ(bound("input X[\n  i,\n  j\n]\nY[i] =\n  sum[j] X[i,j] +  # half\n  1; Z[i] = Y[i]",
                  data({{"X", "f32[2,3]"}})),
            "Y.1: f32[i=2] = sum[j=3] X[i,j]\nY: f32[i=2] = Y.1[i] + 1\n"
            "Z: f32[i=2] = Y[i]\noutput Z");
}

TEST(ProgramBinder, NamesMayHoldAnyLetters) {
  EXPECT_EQ(bound("input größe[α]\nβ[α] = größe[α]", data({{"größe", "f32[2]"}})),
            "β: f32[α=2] = größe[α]\noutput β");
}

TEST(ProgramBinder, OriginsSayWhereAStatementStands) {
  Result<einsum::Graph> graph =
      bind_text("input X[i,j]\n\n  Y[i] = 2 * sum[j] X[i,j]", data({{"X", "f32[2,3]"}}));
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(to_string(graph.value().vertices[1].origin), "Y (p.ein:3:14)");
  EXPECT_EQ(to_string(graph.value().vertices[2].origin), "Y (p.ein:3:3)");
}

TEST(ProgramBinder, EmptyAndManyModes) {
  EXPECT_EQ(bound("input X[i,j]\nY[i] = sum[j] X[i,j]", data({{"X", "f32[2,0]"}})),
            "Y: f32[i=2] = sum[j=0] X[i,j]\noutput Y");
  EXPECT_THAT(bound("input X[i,j]\nY[i] = max[j] X[i,j]", data({{"X", "f32[2,0]"}})),
              HasSubstr("max of no elements has no value: label j has extent 0"));
  std::string labels = "l0";
  std::string shape = "2";
  for (int mode = 1; mode < 27; ++mode) {
    labels += ",l" + std::to_string(mode);
    shape += ",2";
  }
  const std::string text = "input X[" + labels + "]\nY[" + labels + "] = X[" + labels + "]";
  EXPECT_THAT(bound(text, data({{"X", "f32[" + shape + "]"}})), HasSubstr("output Y"));
}

TEST(ProgramBinder, OperandsAreNamedOnce) {
  Result<einsum::Graph> graph =
      bind_text("input X[i,j]\nY[i,j] = sum[k] X[i,k] * X[k,j]", data({{"X", "f32[2,2]"}}));
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(graph.value().vertices.back().operands.size(), 1u);
}

TEST(ProgramInputs, AreListedWithWhatTheirHeadersFix) {
  const auto inputs =
      inputs_of_program({"p.ein", "param n = 3\ninput X[i=4,j=n,k] : f32, s"}).value();
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(inputs[0].name, "X");
  EXPECT_EQ(inputs[0].dtype, DType::f32);
  EXPECT_EQ(inputs[0].extents,
            (std::vector<std::optional<int64_t>>{4, std::nullopt, std::nullopt}));
  EXPECT_EQ(inputs[1].name, "s");
  EXPECT_FALSE(inputs[1].dtype.has_value());
  EXPECT_TRUE(inputs[1].extents.empty());
}

}  // namespace
}  // namespace tessera::frontend::program_binder_test
