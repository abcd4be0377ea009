#include "base/utf8.h"

#include <gtest/gtest.h>

namespace tessera::utf8_test {
namespace {

TEST(Utf8, ACharacterHasOneToFourBytes) {
  EXPECT_EQ(length_of_character("a", 0), 1u);
  EXPECT_EQ(length_of_character("aé", 1), 2u);
  EXPECT_EQ(length_of_character("\xF0\x9F\x8D\x8E", 0), 4u);
}

TEST(Utf8, WhatIsCutOffOrStartsInTheMiddleIsNone) {
  EXPECT_EQ(length_of_character("\xC3", 0), 0u);
  EXPECT_EQ(length_of_character("é", 1), 0u);
  EXPECT_EQ(length_of_character("\xFF", 0), 0u);
}

TEST(Utf8, TextIsShownAsItIs) {
  EXPECT_EQ(printable("1,5 é", 20), "1,5 é");
}

TEST(Utf8, OtherBytesAreShownAsNumbers) {
  EXPECT_EQ(printable(std::string_view("\x93NUM\0\n", 6), 20), "\\x93NUM\\x00\\x0a");
}

TEST(Utf8, LongTextIsCut) {
  EXPECT_EQ(printable("ééé", 2), "éé...");
  EXPECT_EQ(printable("ééé", 3), "ééé");
}

}  // namespace
}  // namespace tessera::utf8_test
