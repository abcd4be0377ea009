#pragma once

#include <cstdint>
#include <optional>

namespace tessera::optimizer {

/// What the cuts of a graph follow from.
struct PartitionOptions {
  int64_t workers = 1;            // threads, or sites, that are to have work; at least 1
  std::optional<int64_t> pieces;  // kernel calls of every statement, p of EinDecomp; else chosen
  std::optional<int64_t> most_tile_bytes;  // that the tiles of one call may have together
};

}  // namespace tessera::optimizer
