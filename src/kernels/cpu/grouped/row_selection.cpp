#include "kernels/cpu/grouped/row_selection.h"

#include <algorithm>
#include <cstring>

namespace tessera::kernels {

namespace {

/// The groups of the rows, and those of the call.
struct GroupOfRows {
  const int64_t* numbers;
  LabelRange range;
  std::optional<int64_t> num_groups;
  int64_t step;
};

GroupOfRows group_of(const GroupedProgram& program, std::span<const LabelRange> ranges,
                     const RowMemory& memory, size_t number) {
  const RowGroup& group = program.groups[number];
  return {reinterpret_cast<const int64_t*>(memory.expressions[group.stage].value),
          ranges[static_cast<size_t>(group.label)], group.num_groups, memory.group_steps[number]};
}

void place_rows(const BlockOfRows& rows, int64_t* offsets) noexcept {
  if (rows.step == 0) {
    std::fill_n(offsets, rows.count, rows.first);
    return;
  }
  for (int64_t row = 0; row < rows.count; ++row) {
    offsets[row] = rows.first + row * rows.step;
  }
}

/// Adds a group's offsets. Returns true if all rows are of the call's groups.
bool add_group(const GroupOfRows& group, int64_t count, int64_t* offsets) noexcept {
  uint64_t furthest = 0;
  for (int64_t row = 0; row < count; ++row) {
    const int64_t place = group.numbers[row] - group.range.begin;
    furthest = std::max(furthest, static_cast<uint64_t>(place));
    offsets[row] += place * group.step;
  }
  return furthest < static_cast<uint64_t>(group.range.length);
}

bool has_no_group(const GroupOfRows& group, int64_t count) noexcept {
  return group.num_groups && std::any_of(group.numbers, group.numbers + count, [&](int64_t number) {
           return number < 0 || number >= *group.num_groups;
         });
}

void keep_groups(const GroupOfRows& group, int64_t count, bool* keeps) noexcept {
  for (int64_t row = 0; row < count; ++row) {
    keeps[row] &= static_cast<uint64_t>(group.numbers[row] - group.range.begin) <
                  static_cast<uint64_t>(group.range.length);
  }
}

/// Moves the kept rows to the front. Returns their number.
int64_t compact(const bool* keeps, int64_t count, int64_t* offsets, int64_t* selected) noexcept {
  int64_t kept = 0;
  for (int64_t row = 0; row < count; ++row) {
    offsets[kept] = offsets[row];
    selected[kept] = row;
    kept += keeps[row] ? 1 : 0;
  }
  return kept;
}

}  // namespace

bool place_all_rows(const GroupedProgram& program, std::span<const LabelRange> ranges,
                    const BlockOfRows& rows, RowMemory& memory) noexcept {
  int64_t* const offsets = memory.offsets.data();
  bool are_all_here = !program.condition;
  for (size_t number = 0; number < program.groups.size() && are_all_here; ++number) {
    const RowGroup& group = program.groups[number];
    const LabelRange& range = ranges[static_cast<size_t>(group.label)];
    PositionTable table = memory.expressions[group.stage].stored_values();
    table.origin = range.begin;
    table.extent = range.length;
    table.stride = memory.group_steps[number];
    are_all_here = number == 0 ? set_positions(table, 0, rows.count, rows.first, rows.step, offsets)
                               : add_positions(table, 0, rows.count, offsets);
  }
  return are_all_here;
}

Status select_rows(const GroupedProgram& program, std::span<const LabelRange> ranges,
                   const BlockOfRows& rows, RowMemory& memory, int64_t& num_selected) noexcept {
  place_rows(rows, memory.offsets.data());
  bool are_all_here = !program.condition;
  for (size_t number = 0; number < program.groups.size(); ++number) {
    const GroupOfRows group = group_of(program, ranges, memory, number);
    const bool is_here = add_group(group, rows.count, memory.offsets.data());
    if (!is_here && has_no_group(group, rows.count)) {
      return Status::no_such_group;
    }
    are_all_here = are_all_here && is_here;
  }
  num_selected = rows.count;
  if (are_all_here) {
    return Status::ok;
  }
  bool* const keeps = memory.keeps.data();
  std::fill_n(keeps, rows.count, true);
  if (program.condition) {
    std::memcpy(keeps, memory.expressions[*program.condition].value,
                static_cast<size_t>(rows.count));
  }
  for (size_t number = 0; number < program.groups.size(); ++number) {
    keep_groups(group_of(program, ranges, memory, number), rows.count, keeps);
  }
  num_selected = compact(keeps, rows.count, memory.offsets.data(), memory.selected.data());
  return Status::ok;
}

}  // namespace tessera::kernels
