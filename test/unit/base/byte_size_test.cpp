#include "base/byte_size.h"

#include <gtest/gtest.h>

namespace tessera::byte_size_test {
namespace {

TEST(ByteSize, IsReadAsPeopleWriteIt) {
  EXPECT_EQ(parse_byte_size("65536"), 65536);
  EXPECT_EQ(parse_byte_size("64B"), 64);
  EXPECT_EQ(parse_byte_size("512MiB"), 512 << 20);
  EXPECT_EQ(parse_byte_size("1.5 GiB"), 1536 << 20);
  EXPECT_EQ(parse_byte_size("2GB"), 2'000'000'000);
  EXPECT_EQ(parse_byte_size("3K"), 3072);
  EXPECT_EQ(parse_byte_size("1Ti"), int64_t{1} << 40);
  EXPECT_EQ(parse_byte_size("0"), 0);
}

TEST(ByteSize, NothingElseIsRead) {
  for (const char* text : {"", "MiB", "-1", "nan", "inf", "1e30", "8EiB", "12 apples", "1MiBs",
                           "1KK", "1 M iB", "0x10", "5bytes", "1MB2"}) {
    EXPECT_EQ(parse_byte_size(text), std::nullopt) << text;
  }
}

TEST(ByteSize, WhatIsPrintedIsRead) {
  for (const int64_t bytes : {int64_t{1} << 10, int64_t{1536} << 20, int64_t{4} << 40}) {
    EXPECT_EQ(parse_byte_size(byte_size_text(bytes)), bytes);
  }
}

}  // namespace
}  // namespace tessera::byte_size_test
