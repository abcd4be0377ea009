#include <variant>

#include <gtest/gtest.h>

#include "frontend/einsum/program/parser.h"

namespace tessera::frontend::version_syntax_test {

namespace {

/// The number that an expression adds to a name: 1 in `n + 1`.
int64_t added_number(const ProgramSyntax& syntax, ExpressionId expression) {
  const auto& sum = std::get<CallSyntax>(syntax.at(expression).of);
  return std::get<int64_t>(std::get<NumberSyntax>(syntax.at(sum.arguments[1]).of).value);
}

TEST(VersionSyntax, KeepsTheExpressionsOfVersions) {
  Diagnostics findings({"p.ein", "W{n+1}[i] = W{n+2}[i] * 2\nL{n+3} = 0\n"});
  const ProgramSyntax syntax = parse_program(findings);
  ASSERT_TRUE(findings.empty()) << findings.render();
  const auto& tensor = std::get<Assignment>(syntax.statements[0].of);
  ASSERT_TRUE(tensor.version.has_value());
  EXPECT_EQ(added_number(syntax, tensor.version->index), 1);
  EXPECT_EQ(tensor.version->span, (SourceSpan{1, 6}));
  const auto& product = std::get<CallSyntax>(syntax.at(tensor.value).of);
  const auto& read = std::get<VersionSyntax>(syntax.at(product.arguments[0]).of);
  EXPECT_EQ(read.name.text, "W");
  EXPECT_EQ(added_number(syntax, read.version), 2);
  EXPECT_EQ(read.indices.size(), 1u);
  const auto& scalar = std::get<Assignment>(syntax.statements[1].of);
  EXPECT_EQ(added_number(syntax, scalar.version->index), 3);
}

TEST(VersionSyntax, IsNothingOfAPlainStatement) {
  Diagnostics findings({"p.ein", "W[i] = X[i]\n"});
  const ProgramSyntax syntax = parse_program(findings);
  EXPECT_FALSE(std::get<Assignment>(syntax.statements[0].of).version.has_value());
}

}  // namespace

}  // namespace tessera::frontend::version_syntax_test
