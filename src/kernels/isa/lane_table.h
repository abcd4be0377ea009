#pragma once

#include <cstdint>
#include <span>

#include "kernels/block_function.h"
#include "types/dtype.h"

namespace tessera::kernels {

/// Adds `count` elements to kLanes running sums (leaf_order.h): lane e mod kLanes takes element e,
///   lanes[e mod kLanes] = lanes[e mod kLanes] + a[e]     or, of two factors, ... + a[e] * b[e]
/// the product rounded before it is added. If the sums do not `continue`, each starts with its
/// first element.
///
/// a, b: dense, of any alignment; REQUIRES count >= kLanes unless the sums continue. `b` is null
/// for one factor. Threads: any number on distinct lanes.
using LaneSum = void (*)(const void* a, const void* b, int64_t count, void* lanes,
                         bool continues) noexcept;

/// Halves the kLanes running sums of each item, which lie item after item, until one is left (the
/// order of leaf_order.h): sums[item]. Overwrites the lanes; `sums` may begin at the same place.
using LaneHalving = void (*)(void* lanes, int64_t items, void* sums) noexcept;

struct LaneEntry {
  DType type = DType::f32;
  LaneSum sum = nullptr;
  LaneHalving halve = nullptr;
};

/// Returns the sums of an instruction set: f32 and f64.
std::span<const LaneEntry> lane_entries(Isa isa);

}  // namespace tessera::kernels
