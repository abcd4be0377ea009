#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "expr/index.h"
#include "machine/isa.h"
#include "types/native.h"

namespace tessera::kernels {

/// A table that says at which positions of one mode entries are read.
struct PositionTable {
  const std::byte* first = nullptr;         // the number of the first entry
  DType dtype = DType::i64;                 // an integer
  int64_t step = 0;                         // elements from an entry's number to the next
  int64_t origin = 0;                       // the position of the mode's first element in memory
  int64_t extent = 0;                       // elements of the mode
  int64_t stride = 0;                       // bytes from an element of the mode to the next
  const expr::Boundary* outside = nullptr;  // null: none says what lies outside
  Isa isa = Isa::scalar;                    // of the loops over it
};

/// The integer at a place of a table; of u64 beyond i64 a position that no mode has.
int64_t position_in(DType dtype, const std::byte* number) noexcept;

/// True if the positions of `count` entries from `first` on all lie in their mode.
bool are_inside(const PositionTable& table, int64_t first, int64_t count) noexcept;

/// Sets the place of each of `count` entries from `first` on, in bytes: `begin`, `step` for each
/// entry before it, and what the table says of it. False if some position lies outside of its mode:
/// places then count for nothing.
bool set_positions(const PositionTable& table, int64_t first, int64_t count, int64_t begin,
                   int64_t step, int64_t* places) noexcept;

/// Adds to the place of each of `count` entries from `first` on, in bytes, what the table says of
/// it. Returns as set_positions().
bool add_positions(const PositionTable& table, int64_t first, int64_t count,
                   int64_t* places) noexcept;

/// Calls `body(std::type_identity<T>{})` with the type of a table's integers.
template <class Body>
void visit_positions(DType dtype, Body body) noexcept {
  visit_storage_type(dtype, [&]<class T>(std::type_identity<T> type) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      body(type);
    }
  });
}

}  // namespace tessera::kernels
