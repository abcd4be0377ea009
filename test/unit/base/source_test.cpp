#include <gtest/gtest.h>

#include "base/source_places.h"

namespace tessera {
namespace {

const SourceText kText = {"a.ein", "first\nsé = k\n\tC[i]\n"};

TEST(Source, CountsLinesAndCharactersFromOne) {
  EXPECT_EQ(position_of(kText, 0).line, 1);
  EXPECT_EQ(position_of(kText, 0).column, 1);
  EXPECT_EQ(position_of(kText, 5).column, 6);  // the line's end belongs to its line
  EXPECT_EQ(position_of(kText, 6).line, 2);
  EXPECT_EQ(position_of(kText, 12).column, 6);  // 'k': é is two bytes, one character
}

TEST(Source, TakesPlacesOutsideTheTextAsItsEnds) {
  EXPECT_EQ(position_of(kText, -5).line, 1);
  EXPECT_EQ(position_of(kText, 1000).line, 4);
  EXPECT_EQ(position_of({"", ""}, 3).column, 1);
}

TEST(Source, FindsManyPlacesAsOne) {
  const SourcePlaces places(kText);
  for (int64_t byte = -1; byte < 30; ++byte) {
    EXPECT_EQ(places.position_of(byte).line, position_of(kText, byte).line) << byte;
    EXPECT_EQ(places.position_of(byte).column, position_of(kText, byte).column) << byte;
  }
}

TEST(Source, PutsCaretsUnderTheCharacters) {
  EXPECT_EQ(excerpt_of(kText, {0, 5}), "  first\n  ^^^^^");
  EXPECT_EQ(excerpt_of(kText, {7, 9}), "  sé = k\n   ^");
  EXPECT_EQ(excerpt_of(kText, {15, 16}, 0), "\tC[i]\n\t^");  // the tab is kept
}

TEST(Source, PutsOneCaretWhereTheSpanIsEmptyOrAtTheEnd) {
  EXPECT_EQ(excerpt_of({"", "abc"}, {3, 3}, 0), "abc\n   ^");
  EXPECT_EQ(excerpt_of({"", "abc"}, {9, 12}, 0), "abc\n   ^");
  EXPECT_EQ(excerpt_of({"", ""}, {0, 0}, 0), "\n^");
  EXPECT_EQ(excerpt_of({"", "abc"}, {2, 1}, 0), "abc\n  ^");
  EXPECT_EQ(excerpt_of({"", "ab\ncd"}, {2, 3}, 0), "ab\n  ^");
  EXPECT_EQ(excerpt_of({"", "\n\nx"}, {1, 2}, 0), "\n^");
}

TEST(Source, EndsTheCaretsWithTheLine) {
  EXPECT_EQ(excerpt_of({"", "abc\ndef"}, {1, 6}, 0), "abc\n ^^");
}

}  // namespace
}  // namespace tessera
