#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "expr/index.h"
#include "machine/isa.h"
#include "types/native.h"

namespace tessera::kernels {

/// A table of the positions of one mode at which entries are read.
struct PositionTable {
  const std::byte* first = nullptr;         // the number of the first entry
  DType dtype = DType::i64;                 // an integer
  int64_t step = 0;                         // elements between entries' numbers
  int64_t origin = 0;                       // the position of the mode's first element in memory
  int64_t extent = 0;                       // elements of the mode
  int64_t stride = 0;                       // bytes between elements of the mode
  const expr::Boundary* outside = nullptr;  // null: none is defined
  Isa isa = Isa::scalar;                    // for the loops over it
};

/// Returns the integer at a place of a table; for a u64 beyond i64 a position outside of every
/// mode.
int64_t position_in(DType dtype, const std::byte* number) noexcept;

/// True if the positions of `count` entries from `first` on all lie in their mode.
bool are_inside(const PositionTable& table, int64_t first, int64_t count) noexcept;

/// Sets the place of each of `count` entries from `first` on, in bytes: `begin`, `step` for each
/// entry before it, and the table's position. Returns false if some position lies outside of its
/// mode: the places are then undefined.
bool set_positions(const PositionTable& table, int64_t first, int64_t count, int64_t begin,
                   int64_t step, int64_t* places) noexcept;

/// Adds the table's position of each of `count` entries from `first` on to its place, in bytes.
/// Returns false like set_positions().
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
