#include <gtest/gtest.h>

#include "base/source_places.h"

namespace tessera::source_test {
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

TEST(Source, FindsPlacesInLongLines) {
  SourceText text{"long.ein", ""};
  for (int word = 0; word < 300; ++word) {
    text.text += word % 7 == 0 ? "é = k" : word % 100 == 99 ? "x\n" : "xyz";
  }
  for (const size_t size : {text.text.size(), size_t{512}, size_t{256}, size_t{255}}) {
    const SourceText part{"part.ein", text.text.substr(0, size)};
    const SourcePlaces places(part);
    for (int64_t byte = 0; byte <= static_cast<int64_t>(size) + 1; ++byte) {
      EXPECT_EQ(places.position_of(byte).line, position_of(part, byte).line) << byte;
      EXPECT_EQ(places.position_of(byte).column, position_of(part, byte).column) << byte;
    }
  }
}

TEST(Source, PutsCaretsUnderTheCharacters) {
  EXPECT_EQ(excerpt_of(kText, {0, 5}), "  first\n  ^^^^^");
  EXPECT_EQ(excerpt_of(kText, {7, 9}), "  sé = k\n   ^");
  EXPECT_EQ(excerpt_of(kText, {15, 16}, 0), "\tC[i]\n\t^");             // the tab is kept
  EXPECT_EQ(excerpt_of({"", "数a = 数"}, {3, 4}, 0), "数a = 数\n  ^");  // two cells wide
  EXPECT_EQ(excerpt_of({"", "数a = 数"}, {7, 10}, 0), "数a = 数\n      ^^");
  EXPECT_EQ(excerpt_of({"", "e\xCC\x81x"}, {3, 4}, 0), "e\xCC\x81x\n ^");  // an accent takes none
}

TEST(Source, PutsOneCaretWhereTheSpanIsEmptyOrAtTheEnd) {
  EXPECT_EQ(excerpt_of({"", "abc"}, {3, 3}, 0), "abc\n   ^");
  EXPECT_EQ(excerpt_of({"", "abc"}, {9, 12}, 0), "abc\n   ^");
  EXPECT_EQ(excerpt_of({"", ""}, {0, 0}, 0), "\n^");
  EXPECT_EQ(excerpt_of({"", "abc\r\nd"}, {4, 5}, 0), "abc\n   ^");  // the break of a line
  EXPECT_EQ(excerpt_of({"", "abc"}, {2, 1}, 0), "abc\n  ^");
  EXPECT_EQ(excerpt_of({"", "ab\ncd"}, {2, 3}, 0), "ab\n  ^");
  EXPECT_EQ(excerpt_of({"", "\n\nx"}, {1, 2}, 0), "\n^");
}

TEST(Source, EndsTheCaretsWithTheLine) {
  EXPECT_EQ(excerpt_of({"", "abc\ndef"}, {1, 6}, 0), "abc\n ^^");
}

TEST(Source, EndsALineBeforeACarriageReturn) {
  const SourceText source{"x", "ab\r\ncd\r\n"};
  EXPECT_EQ(excerpt_of(source, {0, 2}, 0), "ab\n^^");
  EXPECT_EQ(excerpt_of(source, {4, 8}, 0), "cd\n^^");
  EXPECT_EQ(excerpt_of(source, {2, 3}, 0), "ab\n  ^");
}

TEST(Source, ShowsTheNeighbourhoodOfAPlaceInALongLine) {
  const std::string line = std::string(1000, 'a') + "é" + std::string(1000, 'b');
  const std::string excerpt = excerpt_of({"", line}, {1000, 1002}, 0);
  EXPECT_EQ(excerpt, "…" + std::string(80, 'a') + "é" + std::string(119, 'b') + "…\n" +
                         std::string(81, ' ') + "^");
  EXPECT_EQ(excerpt_of({"", line}, {0, 2002}, 0),
            std::string(200, 'a') + "…\n" + std::string(200, '^'));
  EXPECT_EQ(excerpt_of({"", line}, {2002, 2002}, 0),
            "…" + std::string(80, 'b') + "\n" + std::string(81, ' ') + "^");
  EXPECT_EQ(excerpt_of({"", std::string(200, 'a')}, {199, 200}, 0),
            std::string(200, 'a') + "\n" + std::string(199, ' ') + "^");
}

TEST(Source, ShowsWhatCannotBePrintedAsOneCharacter) {
  const std::string line("a\0\x1b\xff z", 6);
  EXPECT_EQ(excerpt_of({"", line}, {5, 6}, 0), "a��� z\n     ^");
}

TEST(Source, FindsTheSpanOfAPlace) {
  const SourceText text = {"", "ab\nsé = k\nx"};
  EXPECT_EQ(span_of(text, {"", {2, 2}, 1}), (SourceSpan{4, 6}));
  EXPECT_EQ(span_of(text, {"", {2, 6}, 100}), (SourceSpan{9, 10}));
  EXPECT_EQ(span_of(text, {"", {3, 1}, 1}), (SourceSpan{11, 12}));
  EXPECT_EQ(span_of(text, {"", {9, 9}, 1}), (SourceSpan{12, 12}));
  EXPECT_EQ(span_of({"", ""}, {"", {3, 1}, 1}), (SourceSpan{0, 0}));
  EXPECT_EQ(num_characters(text, {3, 6}), 2);
  EXPECT_EQ(num_characters(text, {3, 12}), 6);  // to the end of the line
  EXPECT_EQ(num_characters(text, {2, 2}), 1);
}

}  // namespace
}  // namespace tessera::source_test
