#include <fmt/format.h>
#include <gtest/gtest.h>

#include "frontend/einsum/einsum.h"
#include "ir/einsum/text.h"
#include "ir/einsum/verify.h"
#include "unit/expr/registries.h"

namespace tessera::frontend::equation_test {
namespace {

Result<einsum::Graph> bound(const std::string& equation, const std::vector<std::string>& arrays,
                            const EquationOptions& options = {}) {
  std::vector<ArrayType> types;
  std::vector<std::string> names;
  for (const std::string& array : arrays) {
    types.push_back(*parse_array_type(array));
    names.emplace_back(1, static_cast<char>('A' + static_cast<char>(names.size())));
  }
  return bind_equation(equation, types, names, options,
                       {expr::all_functions(), expr::all_aggregates()});
}

/// The statement and its type, or the findings.
std::string binding_of(const std::string& equation, const std::vector<std::string>& arrays,
                       const EquationOptions& options = {}) {
  const Result<einsum::Graph> result = bound(equation, arrays, options);
  if (!result.ok()) {
    return result.diagnostics().render();
  }
  einsum::Graph graph = Result<einsum::Graph>(result).value();
  EXPECT_EQ(graph.vertices.size(), arrays.size() + 1);
  EXPECT_TRUE(einsum::verify(graph, expr::all_functions()).empty()) << equation;
  const ir::Document document = einsum::describe(graph, expr::all_aggregates());
  const ir::Description& node = document.nodes[arrays.size()];
  return node.parameters.front().text + " : " + node.type.text;
}

struct Case {
  std::string equation;
  std::vector<std::string> arrays;
  std::string expected;
};

void expect_all(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    EXPECT_EQ(binding_of(each.equation, each.arrays), each.expected) << each.equation;
  }
}

TEST(Equation, BindsNumpysNotation) {
  const std::vector<Case> cases = {
      {"ij,jk->ik",
       {"f32[2,3]", "f32[3,4]"},
       "[i=2,j=3,k=4] out[i,k] = sum[j] A[i,j] * B[j,k] : f32[i=2,k=4]"},
      {"ij,jk",
       {"f32[2,3]", "f32[3,4]"},
       "[i=2,j=3,k=4] out[i,k] = sum[j] A[i,j] * B[j,k] : f32[i=2,k=4]"},
      {"ba", {"f32[2,3]"}, "[b=2,a=3] out[a,b] = A[b,a] : f32[a=3,b=2]"},
      {"aB", {"f32[2,3]"}, "[a=2,B=3] out[B,a] = A[a,B] : f32[B=3,a=2]"},
      {"ii", {"f32[3,3]"}, "out[] = sum[i] A[i,i] : f32[]"},
      {"ii->i", {"f32[3,3]"}, "out[i] = A[i,i] : f32[i=3]"},
      {"ii->i", {"f32[1,3]"}, "out[i] = A[0,i] : f32[i=3]"},
      {" i j , j -> i ", {"f32[2,3]", "f32[3]"}, "out[i] = sum[j] A[i,j] * B[j] : f32[i=2]"},
      {"", {"f32[]"}, "out[] = A[] : f32[]"},
      {",->", {"f32[]", "f32[]"}, "out[] = A[] * B[] : f32[]"},
      {"i,->i", {"f32[2]", "f32[]"}, "out[i] = A[i] * B[] : f32[i=2]"},
      {"ß×,×é->éß",
       {"f32[2,3]", "f32[3,4]"},
       "[ß=2,×=3,é=4] out[é,ß] = sum[×] A[ß,×] * B[×,é] : f32[é=4,ß=2]"},
      {"ij->i", {"f32[2,0]"}, "out[i] = sum[j] A[i,j] : f32[i=2]"},
      {"ij,ij->ij", {"f32[1,3]", "f32[2,1]"}, "out[i,j] = A[0,j] * B[i,0] : f32[i=2,j=3]"},
      {"ij,ij->ij", {"f32[1,3]", "f32[0,1]"}, "out[i,j] = A[0,j] * B[i,0] : f32[i=0,j=3]"},
  };
  expect_all(cases);
}

TEST(Equation, AlignsEllipsesAtTheRight) {
  const std::vector<Case> cases = {
      {"...", {"f32[2,3]"}, "out[dots1,dots2] = A[dots1,dots2] : f32[dots1=2,dots2=3]"},
      {"...ij,...jk->...ik",
       {"f32[5,2,3]", "f32[3,4]"},
       "[dots1=5,i=2,j=3,k=4] out[dots1,i,k] = sum[j] A[dots1,i,j] * B[j,k] : "
       "f32[dots1=5,i=2,k=4]"},
      {"i...,...i->...",
       {"f32[2,5,7]", "f32[1,2]"},
       "[i=2,dots1=5,dots2=7] out[dots1,dots2] = sum[i] A[i,dots1,dots2] * B[0,i] : "
       "f32[dots1=5,dots2=7]"},
      {"...a,b",
       {"f32[2,3]", "f32[4]"},
       "out[dots1,a,b] = A[dots1,a] * B[b] : f32[dots1=2,a=3,b=4]"},
      {"...a->", {"f32[2,1]"}, "out[] = sum[dots1,a] A[dots1,a] : f32[]"},
      {"a...b->ab",
       {"f32[2,2,1]"},
       "[a=2,dots1=2,b=1] out[a,b] = sum[dots1] A[a,dots1,b] : f32[a=2,b=1]"},
      {"i->...i", {"f32[2]"}, "out[i] = A[i] : f32[i=2]"},
  };
  expect_all(cases);
}

TEST(Equation, ComputesInTheCommonDtype) {
  const std::vector<Case> cases = {
      {"i,i->i", {"f32[2]", "i16[2]"}, "out[i] = A[i] * f32(B[i]) : f32[i=2]"},
      {"i,i->", {"i64[2]", "u64[2]"}, "out[] = sum[i] f64(A[i]) * f64(B[i]) : f64[]"},
      {"i,i->", {"b1[2]", "b1[2]"}, "out[] = sum[i] A[i] * B[i] : b1[]"},
      {"i,i->", {"f16[2]", "f16[2]"}, "out[] = sum[i] A[i] * B[i] : f16[]"},
      {"i,i->i", {"b1[2]", "i8[2]"}, "out[i] = i8(A[i]) * B[i] : i8[i=2]"},
      {"i->", {"c64[2]"}, "out[] = sum[i] A[i] : c64[]"},
  };
  expect_all(cases);
}

TEST(Equation, JoinsAndAggregatesOtherwise) {
  const auto with = [](std::optional<std::string> join, std::optional<std::string> aggregate,
                       const std::string& equation, const std::vector<std::string>& arrays) {
    return binding_of(equation, arrays, {std::move(join), std::move(aggregate)});
  };
  const std::vector<std::string> two = {"f32[2,3]", "f32[3,4]"};
  EXPECT_EQ(with("add", "min", "ij,jk->ik", two),
            "[i=2,j=3,k=4] out[i,k] = min[j] (A[i,j] + B[j,k]) : f32[i=2,k=4]");
  EXPECT_EQ(with("abs(x - y)", "max", "ij,jk->ik", two),
            "[i=2,j=3,k=4] out[i,k] = max[j] abs(A[i,j] - B[j,k]) : f32[i=2,k=4]");
  EXPECT_EQ(with("x1 * x2 + x3", "sum", "i,i,i->", {"f32[2]", "f32[2]", "f32[2]"}),
            "out[] = sum[i] (A[i] * B[i] + C[i]) : f32[]");
  EXPECT_EQ(with("maximum", {}, "i,i,i->i", {"f32[2]", "f32[2]", "f32[2]"}),
            "out[i] = maximum(maximum(A[i], B[i]), C[i]) : f32[i=2]");
  EXPECT_EQ(with("exp", {}, "i->", {"f32[2]"}), "out[] = sum[i] exp(A[i]) : f32[]");
  EXPECT_EQ(with({}, "mean", "ij->ij", {"f32[2,3]"}),
            "out[i,j] = A[i,j] / f32(1:i64) : f32[i=2,j=3]");
  EXPECT_EQ(with({}, "argmax", "ij->i", {"f32[2,3]"}), "out[i] = argmax[j] A[i,j] : i64[i=2]");
  EXPECT_EQ(
      with("subtract", {}, "i,i,i->i", {"f32[2]", "f32[2]", "f32[2]"}),
      "<join>:1:1: error: subtract takes 2 arguments and is not associative: the result would "
      "depend on the grouping, but the equation has 3 operands\n"
      "  subtract\n"
      "  ^^^^^^^^\n"
      "  help: name an associative function of two arguments, such as multiply, add or maximum");
  EXPECT_EQ(
      with("x - y", {}, "i,i,i->i", {"f32[2]", "f32[2]", "f32[2]"}),
      "<join>:1:1: error: an expression over x and y joins two operands, but the equation has 3\n"
      "  x - y\n"
      "  ^^^^^\n"
      "  help: name every operand: x1, x2, x3, ...");
  EXPECT_EQ(with("x1 - x2", {}, "i,i,i->i", {"f32[2]", "f32[2]", "f32[2]"}),
            "<join>:1:1: error: operand 3 does not appear: the expression has no x3\n"
            "  x1 - x2\n"
            "  ^^^^^^^\n"
            "  help: name every operand: x1, x2, x3");
  EXPECT_EQ(with("multipy", {}, "i,i->i", {"f32[2]", "f32[2]"}),
            "<join>:1:1: error: there is no function multipy\n"
            "  multipy\n"
            "  ^^^^^^^\n"
            "  help: did you mean 'multiply'?");
  EXPECT_EQ(with({}, "summ", "i->", {"f32[2]"}),
            "<aggregate>:1:1: error: there is no aggregate summ\n"
            "  summ\n"
            "  ^^^^\n"
            "  help: did you mean 'sum'?");
  EXPECT_EQ(
      with({}, "max", "ij->i", {"f32[2,0]"}),
      "<aggregate>:1:1: error: zero-size array to reduction operation max which has no identity\n"
      "  max\n"
      "  ^^^\n"
      "  help: every reduced label needs an extent of at least 1");
  EXPECT_EQ(with({}, "max", "i->", {"c64[2]"}),
            "<aggregate>:1:1: error: max is not defined for c64: complex numbers have no order; "
            "use max(abs(...))\n"
            "  max\n"
            "  ^^^\n"
            "  help: cast the operands, or name another aggregate");
}

TEST(Equation, NamesModesOfOperandsOnce) {
  const einsum::Graph graph = bound("iij...->j...", {"f32[3,3,2,5,6]"}).value();
  EXPECT_EQ(graph.vertices[0].labels, (std::vector<std::string>{"i", "i2", "j", "dots1", "dots2"}));
  EXPECT_EQ(graph.vertices[1].labels, (std::vector<std::string>{"j", "dots1", "dots2"}));
  EXPECT_EQ(graph.outputs[0].name, "out");
}

TEST(Equation, TakesManyModesAndManyOperands) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZa";
  std::string array = "f64[1";
  std::string equation = "i";
  std::vector<ArrayType> types(299, ArrayType{DType::f64, {2}});
  std::vector<std::string> names = {"T0"};
  for (int mode = 1; mode < 27; ++mode) {
    array += ",1";
  }
  for (int operand = 1; operand < 299; ++operand) {
    equation += ",i";
    names.push_back(fmt::format("T{}", operand));
  }
  EXPECT_EQ(bound(letters, {array + "]"}).value().vertices.back().type.shape, Shape(27, 1));
  const einsum::Graph many = bind_equation(equation + "->", types, names, {},
                                           {expr::all_functions(), expr::all_aggregates()})
                                 .value();
  EXPECT_EQ(many.vertices.back().operands.size(), 299u);
}

TEST(Equation, RefusesWithThePlaceAndTheCulprit) {
  const std::vector<Case> cases = {
      {"",
       {"f64[]", "f64[]"},
       "<equation>:1:1: error: the equation has 1 operand, but 2 arrays are given\n"
       "  \n"
       "  ^\n"
       "  help: write one term per array, separated by ','"},
      {"i",
       {"f64[]"},
       "<equation>:1:1: error: operand 1 (A: f64[]) has 0 modes, but the equation gives it 1 "
       "label\n"
       "  i\n"
       "  ^\n"
       "  help: write one label per mode"},
      {"ij",
       {"f64[2]"},
       "<equation>:1:1: error: operand 1 (A: f64[2]) has 1 mode, but the equation gives it 2 "
       "labels\n"
       "  ij\n"
       "  ^^\n"
       "  help: write one label per mode"},
      {"...i",
       {"f64[]"},
       "<equation>:1:1: error: operand 1 (A: f64[]) has 0 modes, but the equation gives it 1 "
       "label\n"
       "  ...i\n"
       "  ^^^^\n"
       "  help: write one label per mode"},
      {"i...",
       {"f64[]"},
       "<equation>:1:1: error: operand 1 (A: f64[]) has 0 modes, but the equation gives it 1 "
       "label\n"
       "  i...\n"
       "  ^^^^\n"
       "  help: write one label per mode"},
      {"i..",
       {"f64[2]"},
       "<equation>:1:2: error: dots that are no ellipsis\n"
       "  i..\n"
       "   ^^\n"
       "  help: an ellipsis is exactly three dots, without spaces inside: '...'"},
      {"i->&",
       {"f64[2]"},
       "<equation>:1:4: error: '&' cannot be a label\n"
       "  i->&\n"
       "     ^\n"
       "  help: a label is one letter; ',' separates operands, '->' precedes the output, '...' "
       "stands for the remaining modes"},
      {"i->ij",
       {"f64[2]"},
       "<equation>:1:5: error: label j of the output is in no operand\n"
       "  i->ij\n"
       "      ^\n"
       "  help: the output may have the labels of the operands: i"},
      {"ij->jij",
       {"f64[2,2]"},
       "<equation>:1:7: error: label j stands twice in the output\n"
       "  ij->jij\n"
       "        ^\n"
       "  and <equation>:1:5\n"
       "  ij->jij\n"
       "      ^\n"
       "  help: every mode of the result needs a label of its own"},
      {"aabcb,abc",
       {"f64[3,3,4,5,6]", "f64[3,4,5]"},
       "<equation>:1:5: error: label b is 4 in mode 3 but 6 in mode 5 of operand 1 (A: "
       "f64[3,3,4,5,6])\n"
       "  aabcb,abc\n"
       "      ^\n"
       "  and <equation>:1:3\n"
       "  aabcb,abc\n"
       "    ^\n"
       "  help: the extents must be equal, or 1 in one of them, which is then broadcast"},
      {"i",
       {"f64[2,3]"},
       "<equation>:1:1: error: operand 1 (A: f64[2,3]) has 2 modes, but the equation gives it 1 "
       "label\n"
       "  i\n"
       "  ^\n"
       "  help: write one label per mode, or '...' for the modes that need none"},
      {"->,->",
       {"f64[]", "f64[]"},
       "<equation>:1:3: error: the output is one term, but a ',' follows it\n"
       "  ->,->\n"
       "    ^\n"
       "  help: write the operands before '->' and one term after it\n"
       "<equation>:1:4: error: a second '->'\n"
       "  ->,->\n"
       "     ^^\n"
       "  help: an equation has one output: write '->' once"},
      {"a,a->&",
       {"f64[]", "f64[]"},
       "<equation>:1:6: error: '&' cannot be a label\n"
       "  a,a->&\n"
       "       ^\n"
       "  help: a label is one letter; ',' separates operands, '->' precedes the output, '...' "
       "stands for the remaining modes"},
      {"ab,bc->ac",
       {"f64[2,3,4]", "f64[3,4]"},
       "<equation>:1:1: error: operand 1 (A: f64[2,3,4]) has 3 modes, but the equation gives it 2 "
       "labels\n"
       "  ab,bc->ac\n"
       "  ^^\n"
       "  help: write one label per mode, or '...' for the modes that need none"},
      {"ab,bc->ac",
       {"f64[2,4]", "f64[3,4,5]"},
       "<equation>:1:4: error: operand 2 (B: f64[3,4,5]) has 3 modes, but the equation gives it 2 "
       "labels\n"
       "  ab,bc->ac\n"
       "     ^^\n"
       "  help: write one label per mode, or '...' for the modes that need none"},
      {". ..",
       {"f64[2]"},
       "<equation>:1:1: error: dots that are no ellipsis\n"
       "  . ..\n"
       "  ^^^^\n"
       "  help: an ellipsis is exactly three dots, without spaces inside: '...'"},
      {"... ...",
       {"f64[2]"},
       "<equation>:1:5: error: a second ellipsis in one term\n"
       "  ... ...\n"
       "      ^^^\n"
       "  help: '...' stands for all modes without a label: write it once"},
      {"1",
       {"f64[2]"},
       "<equation>:1:1: error: '1' cannot be a label\n"
       "  1\n"
       "  ^\n"
       "  help: a label is one letter; ',' separates operands, '->' precedes the output, '...' "
       "stands for the remaining modes"},
      {"",
       {"f64[2]", "f64[2]"},
       "<equation>:1:1: error: the equation has 1 operand, but 2 arrays are given\n"
       "  \n"
       "  ^\n"
       "  help: write one term per array, separated by ','"},
      {"ai",
       {"f64[2]"},
       "<equation>:1:1: error: operand 1 (A: f64[2]) has 1 mode, but the equation gives it 2 "
       "labels\n"
       "  ai\n"
       "  ^^\n"
       "  help: write one label per mode"},
      {"a->... .",
       {"f64[2]"},
       "<equation>:1:8: error: dots that are no ellipsis\n"
       "  a->... .\n"
       "         ^\n"
       "  help: an ellipsis is exactly three dots, without spaces inside: '...'"},
      {"a->..",
       {"f64[2]"},
       "<equation>:1:4: error: dots that are no ellipsis\n"
       "  a->..\n"
       "     ^^\n"
       "  help: an ellipsis is exactly three dots, without spaces inside: '...'"},
      {"a->1",
       {"f64[2]"},
       "<equation>:1:4: error: '1' cannot be a label\n"
       "  a->1\n"
       "     ^\n"
       "  help: a label is one letter; ',' separates operands, '->' precedes the output, '...' "
       "stands for the remaining modes"},
      {"a->i",
       {"f64[2]"},
       "<equation>:1:4: error: label i of the output is in no operand\n"
       "  a->i\n"
       "     ^\n"
       "  help: the output may have the labels of the operands: a"},
      {"...,...",
       {"f64[2]", "f64[2,3]"},
       "<equation>:1:5: error: axis -1 of '...' is 2 in operand 1 (A: f64[2]) but 3 in operand 2 "
       "(B: f64[2,3])\n"
       "  ...,...\n"
       "      ^^^\n"
       "  and <equation>:1:1\n"
       "  ...,...\n"
       "  ^^^\n"
       "  help: the extents must be equal, or 1 in one of them, which is then broadcast"},
      {"a,a",
       {"f64[2]", "f64[3]"},
       "<equation>:1:3: error: label a is 2 in operand 1 (A: f64[2]) but 3 in operand 2 (B: "
       "f64[3])\n"
       "  a,a\n"
       "    ^\n"
       "  and <equation>:1:1\n"
       "  a,a\n"
       "  ^\n"
       "  help: the extents must be equal, or 1 in one of them, which is then broadcast"},
      {"a, ba",
       {"f64[2]", "f64[2,3]"},
       "<equation>:1:5: error: label a is 2 in operand 1 (A: f64[2]) but 3 in operand 2 (B: "
       "f64[2,3])\n"
       "  a, ba\n"
       "      ^\n"
       "  and <equation>:1:1\n"
       "  a, ba\n"
       "  ^\n"
       "  help: the extents must be equal, or 1 in one of them, which is then broadcast"},
      {"i,i->",
       {"f64[2]", "f64[3]"},
       "<equation>:1:3: error: label i is 2 in operand 1 (A: f64[2]) but 3 in operand 2 (B: "
       "f64[3])\n"
       "  i,i->\n"
       "    ^\n"
       "  and <equation>:1:1\n"
       "  i,i->\n"
       "  ^\n"
       "  help: the extents must be equal, or 1 in one of them, which is then broadcast"},
      {"i,ij->j",
       {"f64[2]", "f64[3,2]"},
       "<equation>:1:3: error: label i is 2 in operand 1 (A: f64[2]) but 3 in operand 2 (B: "
       "f64[3,2])\n"
       "  i,ij->j\n"
       "    ^\n"
       "  and <equation>:1:1\n"
       "  i,ij->j\n"
       "  ^\n"
       "  help: the extents must be equal, or 1 in one of them, which is then broadcast"},
      {"ij,jk->ik",
       {"f32[2,3]", "f32[4,5]"},
       "<equation>:1:4: error: label j is 3 in operand 1 (A: f32[2,3]) but 4 in operand 2 (B: "
       "f32[4,5])\n"
       "  ij,jk->ik\n"
       "     ^\n"
       "  and <equation>:1:2\n"
       "  ij,jk->ik\n"
       "   ^\n"
       "  help: the extents must be equal, or 1 in one of them, which is then broadcast"},
      {"i->j&k-",
       {"f32[2]"},
       "<equation>:1:5: error: '&' cannot be a label\n"
       "  i->j&k-\n"
       "      ^\n"
       "  help: a label is one letter; ',' separates operands, '->' precedes the output, '...' "
       "stands for the remaining modes\n"
       "<equation>:1:7: error: '-' is not part of an arrow\n"
       "  i->j&k-\n"
       "        ^\n"
       "  help: write the arrow as '->', without spaces inside"},
      {"i\xff",
       {"f32[2]"},
       "<equation>:1:2: error: byte 0xff is not UTF-8\n"
       "  i\xEF\xBF\xBD\n"
       "   ^\n"
       "  help: save or pass the equation as UTF-8"},
      {"a,b,c->abc",
       {"f64[1000000000]", "f64[1000000000]", "f64[1000000000]"},
       "<equation>:1:8: error: the result would have too many elements: "
       "[1000000000,1000000000,1000000000]\n"
       "  a,b,c->abc\n"
       "         ^^^\n"
       "  help: reduce more labels, or work on parts"},
      {"abc->a",
       {"f64[0,10000000000,10000000000]"},
       "<equation>:1:1: error: operand 1 (A: f64[0,10000000000,10000000000]) has more than 2^60 "
       "bytes\n"
       "  abc->a\n"
       "  ^^^"},
  };
  expect_all(cases);
}

TEST(Equation, GivesNoMoreThanTenFindings) {
  const std::string text = bound("1 2 3 4 5 6 7 8 9 0 & %", {"f32[2]"}).diagnostics().render();
  EXPECT_NE(text.find("and 2 more"), std::string::npos) << text;
}

}  // namespace
}  // namespace tessera::frontend::equation_test
