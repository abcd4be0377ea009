#pragma once

#include <utility>

#include "kernels/isa/registers.h"
#include "kernels/isa/transpose_table.h"

/// Separating and joining tuples of a few elements: plain loops that compilers turn into shuffles
/// of registers. Compiled once per instruction set.
namespace tessera::kernels::TESSERA_ISA {

template <class T, size_t... kWay>
void split_tuples(const std::byte* from, int64_t count, std::byte* const* to,
                  std::index_sequence<kWay...> /*ways*/) {
  constexpr auto kWays = static_cast<int64_t>(sizeof...(kWay));
  const T* const source = reinterpret_cast<const T*>(from);
  T* const targets[] = {reinterpret_cast<T*>(to[kWay])...};
#pragma GCC ivdep
  for (int64_t e = 0; e < count; ++e) {
    ((targets[kWay][e] = source[e * kWays + static_cast<int64_t>(kWay)]), ...);
  }
}

template <class T, size_t... kWay>
void join_tuples(const std::byte* const* from, int64_t count, std::byte* to,
                 std::index_sequence<kWay...> /*ways*/) {
  constexpr auto kWays = static_cast<int64_t>(sizeof...(kWay));
  const T* const sources[] = {reinterpret_cast<const T*>(from[kWay])...};
  T* const target = reinterpret_cast<T*>(to);
#pragma GCC ivdep
  for (int64_t e = 0; e < count; ++e) {
    ((target[e * kWays + static_cast<int64_t>(kWay)] = sources[kWay][e]), ...);
  }
}

template <class T, size_t kWays>
void split(const std::byte* from, int64_t count, std::byte* const* to) noexcept {
  split_tuples<T>(from, count, to, std::make_index_sequence<kWays>());
}

template <class T, size_t kWays>
void join(const std::byte* const* from, int64_t count, std::byte* to) noexcept {
  join_tuples<T>(from, count, to, std::make_index_sequence<kWays>());
}

template <class T, size_t kWays>
constexpr InterleaveEntry interleave_entry() {
  return {static_cast<int64_t>(sizeof(T)), static_cast<int64_t>(kWays), &split<T, kWays>,
          &join<T, kWays>};
}

}  // namespace tessera::kernels::TESSERA_ISA
