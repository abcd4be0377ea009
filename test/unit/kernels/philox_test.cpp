#include <cstdint>
#include <set>

#include <gtest/gtest.h>

#include "kernels/block_function.h"

namespace tessera::kernels::philox_test {

namespace {

uint64_t philox_of(int64_t key, int64_t counter, Isa isa) {
  const BlockFunction function =
      find_block_function("philox", {{DType::i64, DType::i64}, DType::i64}, isa);
  const void* const arguments[] = {&key, &counter};
  int64_t result = 0;
  EXPECT_NE(function, nullptr);
  EXPECT_EQ(function(arguments, &result, 1), Status::ok);
  return static_cast<uint64_t>(result);
}

TEST(Philox, GivesThePublishedBits) {
  // The first two words of the authors' known answer for a counter and a key of zeros: 6627e8d5
  // e169c58d.
  EXPECT_EQ(philox_of(0, 0, Isa::scalar), 0xe169c58d6627e8d5u);
}

TEST(Philox, IsTheSameInEveryInstructionSet) {
  for (int64_t counter = -3; counter < 3; ++counter) {
    const uint64_t expected = philox_of(-7, counter, Isa::scalar);
    for (const Isa isa : {Isa::avx2, Isa::avx512}) {
      if (isa <= widest_isa()) {
        EXPECT_EQ(philox_of(-7, counter, isa), expected);
      }
    }
  }
}

TEST(Philox, DiffersByKeyAndByCounter) {
  std::set<uint64_t> seen;
  for (int64_t key = 0; key < 30; ++key) {
    for (int64_t counter = 0; counter < 30; ++counter) {
      seen.insert(philox_of(key, counter, Isa::scalar));
    }
  }
  EXPECT_EQ(seen.size(), 900u);
}

}  // namespace

}  // namespace tessera::kernels::philox_test
