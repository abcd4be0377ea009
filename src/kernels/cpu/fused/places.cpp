#include "kernels/cpu/fused/places.h"

#include <algorithm>

#include "kernels/workspace.h"

namespace tessera::kernels {

namespace {

/// A place in the workspace and the statements during which it is taken.
struct Slot {
  int from;
  int to;
  int64_t offset;
  int64_t bytes;
};

/// Returns the lowest offset that is free while the new slot is taken.
int64_t free_offset(const std::vector<Slot>& slots, int from, int to, int64_t bytes) {
  int64_t offset = 0;
  bool moved = true;
  while (moved) {
    moved = false;
    for (const Slot& slot : slots) {
      const bool meets = from <= slot.to && slot.from <= to;
      if (meets && offset < slot.offset + slot.bytes && slot.offset < offset + bytes) {
        offset = slot.offset + slot.bytes;
        moved = true;
      }
    }
  }
  return offset;
}

/// Returns the first statement that writes at a result's place: its own, or that of a result it
/// overwrites; the start of the call for statements that run before the bands.
int first_writer(const Outline& outline, size_t result) {
  const int own = outline.results[result].statement;
  int from = outline.runs_per_band(own) ? own : 0;
  for (size_t earlier = result; earlier-- > 0;) {
    auto successor = static_cast<int>(earlier);
    while (outline.results[static_cast<size_t>(successor)].overwritten_by >= 0) {
      successor = outline.results[static_cast<size_t>(successor)].overwritten_by;
    }
    if (static_cast<size_t>(successor) == result) {
      from = outline.results[earlier].statement;
    }
  }
  return from;
}

}  // namespace

ResultPlaces place_results(const Outline& outline, const BandLengths& lengths,
                           bool is_output_dense) {
  const size_t num_results = outline.results.size();
  const size_t num_outputs = outline.statement(outline.last()).bodies.size();
  const size_t first_output = num_results - num_outputs;
  ResultPlaces placed;
  placed.places.resize(num_results);
  std::vector<Slot> slots;
  for (size_t number = num_results; number-- > 0;) {
    const FusedResult& result = outline.results[number];
    if (result.overwritten_by >= 0) {
      placed.places[number] = placed.places[static_cast<size_t>(result.overwritten_by)];
      continue;
    }
    if (number >= first_output && is_output_dense) {
      placed.places[number].output = static_cast<int>(number - first_output);
      continue;
    }
    const int from = first_writer(outline, number);
    const int64_t bytes = aligned_bytes(bytes_of(outline, lengths, result));
    const int64_t offset = free_offset(slots, from, result.last_reader, bytes);
    placed.places[number].offset = offset;
    placed.bytes = std::max(placed.bytes, offset + bytes);
    slots.push_back({from, result.last_reader, offset, bytes});
  }
  return placed;
}

}  // namespace tessera::kernels
