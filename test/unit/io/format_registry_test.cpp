#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/format.h"
#include "unit/io/thrown_error.h"

namespace tessera::io::format_registry_test {
namespace {

using ::testing::HasSubstr;

FormatRegistry all_formats() {
  FormatRegistry registry;
  register_all_formats(registry);
  return registry;
}

TEST(FormatRegistry, KnowsTheFormatsOfItsFolder) {
  const FormatRegistry registry = all_formats();
  ASSERT_FALSE(registry.all().empty());
  for (const Format& format : registry.all()) {
    EXPECT_NE(format.open, nullptr) << format.name;
    EXPECT_FALSE(format.summary.empty()) << format.name;
    for (const std::string& extension : format.extensions) {
      EXPECT_EQ(registry.for_path("dir.v1/A" + extension).name, format.name);
    }
  }
}

TEST(FormatRegistry, IgnoresTheCaseOfAnExtension) {
  EXPECT_EQ(all_formats().for_path("A.NPY").name, "npy");
}

TEST(FormatRegistry, NamesTheExtensionsThatAreKnown) {
  const FormatRegistry registry = all_formats();
  const Error error = thrown_error([&] { registry.for_path("A.nyp"); });
  EXPECT_EQ(error.kind(), ErrorKind::user);
  EXPECT_EQ(error.message(),
            "A.nyp has the unknown extension .nyp; known are .csv, .tsv, .txt, .npy, .npz; did you "
            "mean '.npy'?");
  EXPECT_THAT(thrown_error([&] { registry.for_path("dir.npy/A"); }).message(),
              HasSubstr("it has none; known are .csv"));
}

TEST(FormatRegistry, RefusesTwoFormatsWithOneExtension) {
  FormatRegistry registry = all_formats();
  EXPECT_EQ(thrown_error([&] {
              registry.add({.name = "other", .extensions = {".npy"}, .summary = ""});
            }).kind(),
            ErrorKind::internal);
}

}  // namespace
}  // namespace tessera::io::format_registry_test
