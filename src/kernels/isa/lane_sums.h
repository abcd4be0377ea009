#pragma once

#include "expr/functions/add.h"
#include "kernels/isa/block_entries.h"
#include "kernels/isa/lane_table.h"
#include "kernels/isa/vectors.h"
#include "kernels/leaf_order.h"

/// Sums in lanes that stay in registers. Compiled once per instruction set, like the block loops.
namespace tessera::kernels::TESSERA_ISA {

template <class T, class Vector, bool kHasFactor>
Vector element(const T* a, [[maybe_unused]] const T* b, Vector (*load)(const T*)) {
  if constexpr (kHasFactor) {
    return load(a) * load(b);
  } else {
    return load(a);
  }
}

template <class T, bool kHasFactor>
void sum_in_lanes(const T* a, const T* b, int64_t count, T* lanes, bool continues) {
  using Lanes = Vectors<T>;
  using Vector = typename Lanes::Type;
  constexpr int64_t kVectors = kLanes / Lanes::kCount;
  const auto at = [&](int64_t e) {
    return element<T, Vector, kHasFactor>(a + e, kHasFactor ? b + e : nullptr, &Lanes::load);
  };
  Vector sums[kVectors];
#pragma GCC unroll 32
  for (int64_t vector = 0; vector < kVectors; ++vector) {
    const int64_t first = vector * Lanes::kCount;
    sums[vector] = continues ? Lanes::load(lanes + first) : at(first);
  }
  int64_t e = continues ? 0 : kLanes;
  for (; e + kLanes <= count; e += kLanes) {
#pragma GCC unroll 32
    for (int64_t vector = 0; vector < kVectors; ++vector) {
      sums[vector] = sums[vector] + at(e + vector * Lanes::kCount);
    }
  }
#pragma GCC unroll 32
  for (int64_t vector = 0; vector < kVectors; ++vector) {
    Lanes::store(lanes + vector * Lanes::kCount, sums[vector]);
  }
  for (int64_t lane = 0; e + lane < count; ++lane) {
    lanes[lane] = lanes[lane] + (kHasFactor ? a[e + lane] * b[e + lane] : a[e + lane]);
  }
}

template <class T>
void lane_sum(const void* a, const void* b, int64_t count, void* lanes, bool continues) noexcept {
  const T* const left = static_cast<const T*>(a);
  if (b == nullptr) {
    sum_in_lanes<T, false>(left, nullptr, count, static_cast<T*>(lanes), continues);
  } else {
    sum_in_lanes<T, true>(left, static_cast<const T*>(b), count, static_cast<T*>(lanes), continues);
  }
}

template <class T>
void halve_lanes(void* lanes, int64_t items, void* sums) noexcept {
  T* item = static_cast<T*>(lanes);
  for (int64_t number = 0; number < items; ++number, item += kLanes) {
    static_cast<T*>(sums)[number] = halved<expr::TESSERA_ISA::Add, T, kLanes>(item);
  }
}

template <class T>
constexpr LaneEntry lane_entry() {
  return {kDType<T>, &lane_sum<T>, &halve_lanes<T>};
}

}  // namespace tessera::kernels::TESSERA_ISA
