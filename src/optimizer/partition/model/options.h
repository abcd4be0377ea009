#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/einsum/graph.h"
#include "machine/machine.h"

namespace tessera::optimizer::partition {

/// A label that is cut wherever it flows, through whichever statements and under whichever names,
/// so that what has it exists one slice after the other. Known by one place where it occurs.
struct Slice {
  einsum::VertexId vertex{0};
  int32_t label = 0;   // of the vertex's einsum
  int64_t length = 1;  // of the longest piece
  friend bool operator==(const Slice&, const Slice&) = default;
};

/// What the cuts of a graph follow from.
struct PartitionOptions {
  int64_t workers = 1;            // threads, or sites, that are to have work; at least 1
  std::optional<int64_t> pieces;  // kernel calls of every statement, p of EinDecomp; else chosen
  std::optional<int64_t> most_tile_bytes;  // that the tiles of one call may have together
  std::vector<Slice> slices;               // of labels that flow apart
  /// Of all statements, beyond which they get fewer each, down to kCallsPerWorker for each worker;
  /// else as the machine's granularity says.
  std::optional<int64_t> most_calls = std::nullopt;
  Machine machine = {};
  /// Whether the inputs are read from files and the results written to some, at the machine's
  /// costs; else that costs nothing.
  bool has_files = true;
  int64_t sites = 1;  // that divide the calls of a statement and merge what each has of a sum
};

/// Calls that a large statement has for each of several workers, so that they end together.
inline constexpr int64_t kCallsPerWorker = 4;

/// In words, why a graph cannot be cut as was asked.
struct NoCut {
  std::string reason;
};

}  // namespace tessera::optimizer::partition
