#include "net/delays.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace tessera::net::delays_test {
namespace {

TEST(Delays, AreReadWithOrWithoutASeed) {
  EXPECT_EQ(parse_delays("2000").longest_delay.count(), 2000);
  EXPECT_EQ(parse_delays("2000").seed, 0);
  EXPECT_EQ(parse_delays("30,7").longest_delay.count(), 30);
  EXPECT_EQ(parse_delays("30,7").seed, 7);
}

TEST(Delays, OfAnotherFormAreRefused) {
  for (const char* const text : {"", "x", "-1", "5,", "5,x", "5,6,7", "5 ", "60000001"}) {
    try {
      parse_delays(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::user);
      EXPECT_NE(error.message().find("'" + std::string(text) + "'"), std::string::npos);
    }
  }
}

TEST(Delays, AreInOrderAndBounded) {
  Delays delays({std::chrono::milliseconds(20), 3});
  Delays::Time last;
  for (int i = 0; i < 100; ++i) {
    const Delays::Time due = delays.due(last);
    EXPECT_GE(due, last);
    EXPECT_LE(due, std::chrono::steady_clock::now() + std::chrono::milliseconds(20));
    last = due;
  }
  EXPECT_GT(last, std::chrono::steady_clock::now());
}

}  // namespace
}  // namespace tessera::net::delays_test
