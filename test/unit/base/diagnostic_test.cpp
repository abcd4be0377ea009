#include "base/diagnostic.h"

#include <gtest/gtest.h>

namespace tessera::diagnostic_test {
namespace {

Diagnostics diagnostics_of(const std::string& text) {
  return Diagnostics({"a.ein", text});
}

TEST(Diagnostics, ShowsPlaceCaretsAndHelp) {
  Diagnostics found = diagnostics_of("C = A[i,k]");
  Diagnostic diagnostic;
  diagnostic.span = {8, 9};
  diagnostic.message = "label k is 6 in A but 5 in B";
  diagnostic.help = "give them one size";
  diagnostic.others = {{4, 5}};
  found.add(diagnostic);
  EXPECT_EQ(found.render(),
            "a.ein:1:9: error: label k is 6 in A but 5 in B\n"
            "  C = A[i,k]\n"
            "          ^\n"
            "  and a.ein:1:5\n"
            "  C = A[i,k]\n"
            "      ^\n"
            "  help: give them one size");
}

TEST(Diagnostics, AWarningIsCalledOne) {
  Diagnostics found = diagnostics_of("y = sum[i] x[i]");
  Diagnostic warning;
  warning.span = {4, 15};
  warning.message = "this sum may wrap";
  warning.severity = Severity::warning;
  found.add(warning);
  EXPECT_EQ(found.render(),
            "a.ein:1:5: warning: this sum may wrap\n"
            "  y = sum[i] x[i]\n"
            "      ^^^^^^^^^^^");
}

TEST(Result, AValueMayComeWithWarnings) {
  EXPECT_EQ(Result<int>(7).warnings(), nullptr);
  const Result<int> warned(7, diagnostics_of("x"));
  ASSERT_TRUE(warned.ok());
  EXPECT_TRUE(warned.warnings()->empty());
  EXPECT_EQ(Result<int>(diagnostics_of("x")).warnings(), nullptr);
}

TEST(Diagnostics, KeepsTheOrderOfPlacesAndOneOfEach) {
  Diagnostics found = diagnostics_of("abcdef");
  for (const int64_t place : {4, 1, 4, 2}) {
    Diagnostic diagnostic;
    diagnostic.span = {place, place + 1};
    found.add(diagnostic);
  }
  ASSERT_EQ(found.found().size(), 3U);
  EXPECT_EQ(found.found()[0].span.begin, 1);
  EXPECT_EQ(found.found()[1].span.begin, 2);
  EXPECT_EQ(found.found()[2].span.begin, 4);
}

TEST(Diagnostics, CountsThoseBeyondTheLimit) {
  Diagnostics found = diagnostics_of(std::string(40, 'x'));
  for (int64_t place = 0; place < 13; ++place) {
    Diagnostic diagnostic;
    diagnostic.span = {place, place + 1};
    found.add(diagnostic);
  }
  EXPECT_EQ(found.found().size(), Diagnostics::kLimit);
  EXPECT_TRUE(found.render().ends_with("\nand 3 more"));
}

TEST(Diagnostics, AreUnsupportedOnlyIfAllAre) {
  Diagnostics found = diagnostics_of("ab");
  Diagnostic diagnostic;
  diagnostic.kind = ErrorKind::unsupported;
  diagnostic.span = {0, 1};
  found.add(diagnostic);
  EXPECT_EQ(Error(found).kind(), ErrorKind::unsupported);
  diagnostic.kind = ErrorKind::user;
  diagnostic.span = {1, 2};
  found.add(diagnostic);
  EXPECT_EQ(Error(found).kind(), ErrorKind::user);
}

TEST(Result, GivesItsValueOrThrowsTheFindings) {
  Result<int> good = 3;
  EXPECT_TRUE(good.ok());
  EXPECT_EQ(good.value(), 3);
  Diagnostics found = diagnostics_of("x");
  Diagnostic diagnostic;
  diagnostic.message = "no";
  diagnostic.span = {0, 1};
  found.add(diagnostic);
  Result<int> bad = found;
  EXPECT_FALSE(bad.ok());
  EXPECT_EQ(bad.diagnostics().found().size(), 1U);
  EXPECT_THROW(bad.value(), Error);
}

}  // namespace
}  // namespace tessera::diagnostic_test
