#pragma once

#include <cstdint>

namespace tessera::database {

/// Rows [first_row, first_row + num_rows) of a stored tensor, in a file of their own.
struct Segment {
  int64_t first_row = 0;
  int64_t num_rows = 0;
  int64_t file = 0;

  bool operator==(const Segment&) const = default;
};

}  // namespace tessera::database
