#pragma once

#include <cstdint>
#include <span>

#include "kernels/block_function.h"
#include "types/dtype.h"

namespace tessera::kernels {

/// Adds `count` elements to kLanes running sums (leaf_order.h): lane e mod kLanes takes element e,
///   lanes[e mod kLanes] = lanes[e mod kLanes] + a[e]     or, of two factors, ... + a[e] * b[e]
/// the product rounded before it is added. Where the sums do not `continue`, each starts with its
/// first element.
///
/// a, b: dense, of any alignment; REQUIRES count >= kLanes unless the sums continue. `b` is null
/// where there is one factor. Threads: any number on distinct lanes.
using LaneSum = void (*)(const void* a, const void* b, int64_t count, void* lanes,
                         bool continues) noexcept;

struct LaneEntry {
  DType type = DType::f32;
  LaneSum sum = nullptr;
};

/// The sums of an instruction set: f32 and f64.
std::span<const LaneEntry> lane_entries(Isa isa);

}  // namespace tessera::kernels
