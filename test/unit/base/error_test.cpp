#include "base/error.h"

#include <unordered_set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/byte_size.h"
#include "base/diagnostic.h"
#include "base/id.h"

namespace tessera::error_test {
namespace {

using ::testing::HasSubstr;

TEST(Error, CarriesItsContextInnermostFirst) {
  Error error(ErrorKind::user, "label k is 6 and 5");
  error.add_context("in task 7");
  error.add_context("in statement C");
  EXPECT_STREQ(error.what(), "label k is 6 and 5");
  EXPECT_EQ(error.full_text(), "label k is 6 and 5\n  in task 7\n  in statement C");
}

TEST(Error, ShowsThePlacesThatLieInAText) {
  Error error(ErrorKind::user, "an integer was divided by zero");
  error.add_context("in B (a.ein:2:1)", SourcePlace{"a.ein", {2, 1}, 4});
  error.add_context("in Q (other.ein:1:1)", SourcePlace{"other.ein", {1, 1}, 1});
  error.show_places_in({"a.ein", "input A[i]\nB[i] = 1 // A[i]\n"});
  EXPECT_EQ(error.full_text(),
            "an integer was divided by zero\n  in B (a.ein:2:1)\n    B[i] = 1 // A[i]\n    ^^^^\n"
            "  in Q (other.ein:1:1)");
}

TEST(Error, SaysRemediesInTheCallersWords) {
  const Error error =
      Error(ErrorKind::resource, "1088 bytes are needed").suggest({Setting::memory, "1088"});
  EXPECT_EQ(error.full_text(), "1088 bytes are needed");
  const RemedyWords words = [](const Remedy& remedy) { return "memory=" + remedy.value; };
  EXPECT_EQ(error.full_text(words), "1088 bytes are needed\n  help: memory=1088");
}

TEST(Error, KeepsTheFindingsItIsMadeOf) {
  Diagnostics findings({"a.ein", "C = A"});
  findings.add({ErrorKind::user, {4, 5}, "there is no A", "", {}, Remedy{Setting::input, "A"}});
  const Error error(findings);
  ASSERT_NE(error.findings(), nullptr);
  EXPECT_EQ(error.findings()->found()[0].span, (SourceSpan{4, 5}));
  EXPECT_EQ(error.full_text(), "a.ein:1:5: error: there is no A\n  C = A\n      ^");
  const RemedyWords words = [](const Remedy& remedy) { return remedy.value + "=FILE"; };
  EXPECT_EQ(error.full_text(words), error.message() + "\n  help: A=FILE");
}

TEST(Error, NamesItsKind) {
  EXPECT_EQ(name_of(ErrorKind::user), "error");
  EXPECT_EQ(name_of(ErrorKind::unsupported), "unsupported");
  EXPECT_EQ(name_of(ErrorKind::resource), "resource error");
  EXPECT_EQ(name_of(ErrorKind::internal), "internal error");
}

TEST(Error, OfACheckSaysConditionPlaceAndValues) {
  const int extent = 3;
  try {
    TESSERA_CHECK(extent == 4, "extent {}", extent);
    FAIL() << "the check passed";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    EXPECT_THAT(error.message(), HasSubstr("extent 3 (extent == 4 is false at "));
    EXPECT_THAT(error.message(), HasSubstr("error_test.cpp:"));
  }
}

TEST(Error, OfAUserCheckIsTheMessageAlone) {
  const auto check = [](int extent) { TESSERA_USER_CHECK(extent > 0, "extent {}", extent); };
  EXPECT_NO_THROW(check(1));
  try {
    check(-1);
    FAIL() << "the check passed";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user);
    EXPECT_EQ(error.full_text(), "extent -1");
  }
}

TEST(Id, IsInvalidUntilGivenAndOrdersByNumber) {
  using TestId = Id<struct TestTag>;
  EXPECT_FALSE(TestId().valid());
  EXPECT_TRUE(TestId(0).valid());
  EXPECT_LT(TestId(1), TestId(2));
  EXPECT_EQ(TestId(3).index(), 3U);
  EXPECT_EQ((std::unordered_set<TestId>{TestId(1), TestId(1), TestId(2)}.size()), 2U);
}

TEST(ByteSize, IsShort) {
  EXPECT_EQ(byte_size_text(0), "0 bytes");
  EXPECT_EQ(byte_size_text(1), "1 byte");
  EXPECT_EQ(byte_size_text(1023), "1023 bytes");
  EXPECT_EQ(byte_size_text(1024), "1 KiB");
  EXPECT_EQ(byte_size_text(1536), "1.5 KiB");
  EXPECT_EQ(byte_size_text(999 * 1024), "999 KiB");
  EXPECT_EQ(byte_size_text(1000 * 1024), "0.977 MiB");
  EXPECT_EQ(byte_size_text((int64_t{1} << 20) - 1), "1 MiB");
  EXPECT_EQ(byte_size_text(int64_t{4} << 30), "4 GiB");
  EXPECT_EQ(byte_size_text(INT64_MAX), "8 EiB");
  for (int64_t bytes = 1; bytes < (int64_t{1} << 55); bytes = bytes * 5 / 3 + 1) {
    EXPECT_EQ(byte_size_text(bytes).find("e+"), std::string::npos) << bytes;
  }
}

}  // namespace
}  // namespace tessera::error_test
