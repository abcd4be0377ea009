#include "expr/verify.h"

#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "unit/expr/registries.h"

namespace tessera::expr::verify_test {
namespace {

TileProgram parse_program_text(const std::string& text) {
  const MonoidScope monoids{all_aggregates(), {}};
  return parse_program({"p", text}, {}, monoids, all_functions());
}

TEST(ExprVerify, SaysWhatIsWrong) {
  const auto problems = [](const std::string& program, const std::vector<ArrayType>& inputs) {
    const std::vector<std::string> found =
        verify(parse_program_text(program), inputs, all_functions());
    return found.empty() ? "" : found[0];
  };
  EXPECT_EQ(problems("[i=3] (f32) o[i] = x0[i]", {{DType::f32, {3}}}), "");
  EXPECT_EQ(problems("[i=3] (f32) o[i] = x0[i+1]", {{DType::f32, {3}}}),
            "statement 0: mode 0 of operand 0 has 3 elements but is read from 1 to 3");
  EXPECT_EQ(problems("[i=3,k=0] (f32) o[i,k] = x0[i+1]", {{DType::f32, {3}}}), "");
  EXPECT_EQ(problems("[i=3] (f32) o[i] = x0[i]", {{DType::f64, {3}}}),
            "statement 0: operand 0 is f64, but is read as f32");
  EXPECT_EQ(problems("[i=3,j=2] (f32) o[i] = x0[j]", {{DType::f32, {3}}}),
            "statement 0: label j is read but the statement does not run over it");
  EXPECT_EQ(problems("[i=3] (f32) o[i,i] = x0[i]", {{DType::f32, {3}}}),
            "statement 0: label i stands twice in the result or the aggregate");
  EXPECT_EQ(problems("[i=3,j=2] (f32) o[i] = sum[j; leaf j=2] x0[i,j]", {{DType::f32, {3, 2}}}),
            "");
  EXPECT_EQ(problems("[i=3,j=2] (f32) o[i] = sum[j; leaf j=3] x0[i,j]", {{DType::f32, {3, 2}}}),
            "statement 0: the length of a leaf is a power of two, not 3");
  EXPECT_EQ(problems("[i=3,j=2] (f32) o[i] = sum[j; leaf i=2] x0[i,j]", {{DType::f32, {3, 2}}}),
            "statement 0: a leaf is of a label that is reduced over");
  EXPECT_EQ(problems("[i=3] (f32) o[i] = x0[i+1 pad 0]", {{DType::f32, {3}}}), "");
  EXPECT_EQ(problems("[i=3] (f32) o[i] = x0[i+1 edge]", {{DType::f32, {0}}}),
            "statement 0: mode 0 of operand 0 has no element to read in place of one outside");
  EXPECT_EQ(problems("[i=3] (f32) o[i] = x0[(i)/2 edge]", {{DType::f32, {3}}}),
            "statement 0: an index is divided by 2, but no pad says what lies between");
  EXPECT_EQ(problems("[i=3] (f32,i32) o[i] = x0[x1[i]]", {{DType::f32, {9}}, {DType::i32, {3}}}),
            "");
  EXPECT_EQ(problems("[i=3] (f32,f32) o[i] = x0[x1[i]]", {{DType::f32, {9}}, {DType::f32, {3}}}),
            "statement 0: an index is f32, not an integer");
  EXPECT_EQ(problems("[i=3] (f32,i32) o[i] = x0[x1[i+1]]", {{DType::f32, {9}}, {DType::i32, {3}}}),
            "statement 0: mode 0 of operand 1 has 3 elements but is read from 1 to 3");
  EXPECT_EQ(problems("[i=3,j=2] (f32) o[i] = scan sum[i] x0[i]", {{DType::f32, {3}}}), "");
  EXPECT_EQ(problems("[i=3,j=2] (f32) o[i] = scan sum[j] x0[i]", {{DType::f32, {3}}}),
            "statement 0: a scan is along a label of the result");
  EXPECT_EQ(problems("[i=-3] (f32) o[i] = x0[i]", {{DType::f32, {3}}}), "label i has extent -3");
}

}  // namespace
}  // namespace tessera::expr::verify_test
