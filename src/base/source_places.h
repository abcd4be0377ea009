#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/source.h"

namespace tessera {

/// Finds many positions in a text, which it reads once. REQUIRES the text lives as long.
class SourcePlaces {
 public:
  explicit SourcePlaces(const SourceText& source);

  const SourceText& source() const { return source_; }
  SourcePosition position_of(int64_t byte) const;

 private:
  const SourceText& source_;
  std::vector<size_t> line_starts_;
};

}  // namespace tessera
