#include "net/run_error.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "unit/drawn.h"

namespace tessera::net::run_error_test {

namespace {

std::string drawn_text(std::mt19937_64& random) {
  static const char* const kWords[] = {"an index", "Y[n]", "\n", "µ", ": ", "9", "<equation>"};
  std::string text;
  for (uint64_t words = random() % 4; words-- > 0;) {
    text += kWords[random() % std::size(kWords)];
  }
  return text;
}

Error drawn_error(std::mt19937_64& random) {
  Error error(random() % 2 == 0 ? ErrorKind::user : ErrorKind::unsupported, drawn_text(random));
  for (uint64_t contexts = random() % 3; contexts-- > 0;) {
    SourcePlace place{drawn_text(random), {}, 1 + static_cast<int64_t>(random() % 9)};
    place.position = {1 + static_cast<int64_t>(random() % 9),
                      1 + static_cast<int64_t>(random() % 9)};
    error.add_context(drawn_text(random), random() % 2 == 0 ? std::nullopt : std::optional(place));
  }
  return error;
}

}  // namespace

TEST(RunError, IsTheSameOnAnotherProcess) {
  std::mt19937_64 random(3);
  for (int drawn = 0; drawn < 200; ++drawn) {
    const Error error = drawn_error(random);
    const auto other = error_of_run({2, error.kind(), reason_of_run(error)});
    ASSERT_TRUE(other);
    EXPECT_EQ(other->kind(), error.kind());
    EXPECT_EQ(other->full_text(), error.full_text());
    ASSERT_EQ(other->context().size(), error.context().size());
    for (size_t number = 0; number < error.context().size(); ++number) {
      const auto& place = error.context()[number].place;
      const auto& heard = other->context()[number].place;
      ASSERT_EQ(heard.has_value(), place.has_value());
      if (place) {
        EXPECT_EQ(heard->source, place->source);
        EXPECT_EQ(heard->position.line, place->position.line);
        EXPECT_EQ(heard->position.column, place->position.column);
        EXPECT_EQ(heard->num_characters, place->num_characters);
      }
    }
  }
}

/// A reason travels as far as it fits.
TEST(RunError, IsReadAsFarAsItCame) {
  Error error(ErrorKind::user, "an index is 9");
  error.add_context("in Y (a.ein:2:1)", SourcePlace{"a.ein", {2, 1}, 18});
  const std::string reason = reason_of_run(error);
  for (size_t length = 1; length <= reason.size(); ++length) {
    const auto heard = error_of_run({1, ErrorKind::user, reason.substr(0, length)});
    ASSERT_TRUE(heard);
    EXPECT_EQ(heard->message(), error.message().substr(0, length - 1));
  }
  EXPECT_FALSE(error_of_run({1, ErrorKind::user, ""}));
  EXPECT_FALSE(error_of_run({1, ErrorKind::resource, "the disk is gone"}));
}

}  // namespace tessera::net::run_error_test
