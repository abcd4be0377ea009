#include "base/digest.h"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

namespace tessera::digest_test {

namespace {

template <class... Part>
std::string digest_of(Part... parts) {
  Digest digest;
  (digest.add(parts), ...);
  return digest.text();
}

TEST(Digest, TellsApartWhatDiffers) {
  const std::set<std::string> names = {digest_of(),
                                       digest_of(""),
                                       digest_of("ab"),
                                       digest_of("a", "b"),
                                       digest_of("b", "a"),
                                       digest_of("ab", ""),
                                       digest_of(int64_t{1}),
                                       digest_of("a"),
                                       digest_of(std::string_view("\0a", 2)),
                                       digest_of(int64_t{-1}),
                                       digest_of(int64_t{256})};
  EXPECT_EQ(names.size(), 11u);
  EXPECT_EQ(digest_of("tessera", int64_t{3}), digest_of("tessera", int64_t{3}));
  EXPECT_EQ(digest_of().size(), 32u);
}

}  // namespace

}  // namespace tessera::digest_test
