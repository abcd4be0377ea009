#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/einsum/graph.h"
#include "machine/machine.h"

namespace tessera::optimizer::partition {

/// A label that is cut wherever it flows, through all statements and under any name, so that
/// tensors along it exist one slice after the other. It is known by one place where it occurs.
struct Slice {
  einsum::VertexId vertex{0};
  int32_t label = 0;   // of the vertex's einsum
  int64_t length = 1;  // of the longest piece
  friend bool operator==(const Slice&, const Slice&) = default;
};

/// The options that the cuts of a graph depend on.
struct PartitionOptions {
  int64_t workers = 1;            // threads, or sites, to keep busy; at least 1
  std::optional<int64_t> pieces;  // kernel calls of every statement, p of EinDecomp; else chosen
  std::optional<int64_t> most_tile_bytes;  // for the tiles of one call together
  std::vector<Slice> slices;               // of labels that flow apart
  /// The most calls of all statements together. Beyond it each gets fewer, down to kCallsPerWorker
  /// for each worker; by default the machine's granularity decides.
  std::optional<int64_t> most_calls = std::nullopt;
  Machine machine = {};
  /// True if inputs are read from files and results written to files, at the machine's costs; else
  /// that is free.
  bool has_files = true;
  int64_t sites = 1;  // that divide the calls of a statement and merge their parts of a sum
};

/// The calls of a large statement for each of several workers, so that they end together.
inline constexpr int64_t kCallsPerWorker = 4;

/// The reason that a graph cannot be cut as requested, in words.
struct NoCut {
  std::string reason;
};

}  // namespace tessera::optimizer::partition
