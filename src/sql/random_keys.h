#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace tessera::sql {

/// Keys of random draws: they follow from the seed, from what is drawn for (a statement's text, a
/// version's name), and from how many were drawn for it before. So a version has the same numbers
/// whoever reads it.
class RandomKeys {
 public:
  RandomKeys(int64_t seed, std::string purpose) : seed_(seed), purpose_(std::move(purpose)) {}

  /// Never below 0.
  int64_t next();

  /// Draws are for something else from now on; gives what they were for, to be set again.
  std::pair<std::string, int64_t> exchange(std::pair<std::string, int64_t> purpose);

 private:
  int64_t seed_;
  std::string purpose_;
  int64_t num_drawn_ = 0;
};

}  // namespace tessera::sql
