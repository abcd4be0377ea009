#include "kernels/cpu/walk/position_table.h"

#include <algorithm>

#include "kernels/isa/position_loop_table.h"

namespace tessera::kernels {

namespace {

const PositionLoops& loops_of(const PositionTable& table) {
  const std::span<const PositionLoops> loops = position_loops(table.isa);
  return *std::find_if(loops.begin(), loops.end(),
                       [&](const PositionLoops& of_type) { return of_type.type == table.dtype; });
}

Positions positions_of(const PositionTable& table, int64_t first, int64_t count) {
  const std::byte* const numbers = table.first + first * table.step * size_of(table.dtype);
  return {numbers, table.step, count, table.origin, table.extent, table.stride};
}

}  // namespace

int64_t position_in(DType dtype, const std::byte* number) noexcept {
  int64_t position = 0;
  visit_positions(dtype, [&]<class T>(std::type_identity<T>) {
    position = static_cast<int64_t>(+*reinterpret_cast<const T*>(number));  // i8 is no character
  });
  return position;
}

bool are_inside(const PositionTable& table, int64_t first, int64_t count) noexcept {
  return loops_of(table).are_inside(positions_of(table, first, count));
}

bool set_positions(const PositionTable& table, int64_t first, int64_t count, int64_t begin,
                   int64_t step, int64_t* places) noexcept {
  return loops_of(table).set(positions_of(table, first, count), begin, step, places);
}

bool add_positions(const PositionTable& table, int64_t first, int64_t count,
                   int64_t* places) noexcept {
  return loops_of(table).add(positions_of(table, first, count), places);
}

}  // namespace tessera::kernels
