#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/source.h"

namespace tessera {

/// A finder of many positions in a text, which it reads once; each costs the same at any place,
/// even in a long line. REQUIRES the text lives as long.
class SourcePlaces {
 public:
  explicit SourcePlaces(const SourceText& source);

  const SourceText& source() const { return source_; }
  SourcePosition position_of(int64_t byte) const;

 private:
  int64_t num_characters_before(size_t byte) const;

  static constexpr size_t kStride = 256;

  const SourceText& source_;
  std::vector<size_t> line_starts_;
  std::vector<int64_t> characters_before_;  // by kStride bytes of the text
};

}  // namespace tessera
