#include "kernels/cpu/grouped/leaf_placer.h"

#include <algorithm>

namespace tessera::kernels {

namespace {

/// True if a position outside of a mode is a fault.
bool is_closed(const RowLeaf& leaf, size_t mode) {
  const auto& access = std::get<expr::Access>(leaf.from->what);
  return expr::boundary_of(access.index[mode]) == expr::Boundary(expr::Inside{});
}

}  // namespace

Status LeafPlacer::place(RowLeaf& leaf, const int64_t* selected, int64_t count,
                         Places need) noexcept {
  const int64_t step = step_of(leaf);
  const std::vector<std::optional<size_t>>& stages = leaf.from->stages;
  leaf.is_regular =
      selected == nullptr && std::none_of(stages.begin(), stages.end(),
                                          [](const auto& stage) { return stage.has_value(); });
  const bool is_dense = leaf.view != nullptr && step == leaf.unit();
  if (leaf.is_regular && (need == Places::if_gathered || (need == Places::if_apart && is_dense))) {
    return Status::ok;
  }
  bool is_placed = false;
  for (size_t mode = 0; mode < stages.size(); ++mode) {
    if (!stages[mode]) {
      continue;
    }
    const bool is_of_all = *stages[mode] < program_.num_stages_of_all;
    const int64_t* const found = is_of_all ? selected : nullptr;
    const bool is_first = !is_placed && selected == nullptr && is_closed(leaf, mode);
    if (!is_placed && !is_first) {
      place_by_step(leaf, selected, count);
    }
    is_placed = true;
    const Status status = is_first ? gather_first(leaf, mode, *stages[mode], count)
                                   : gather(leaf, mode, *stages[mode], found, count);
    if (status != Status::ok) {
      note_outside(leaf, mode, *stages[mode], {found, selected, count});
      return status;
    }
  }
  if (!is_placed) {
    place_by_step(leaf, selected, count);
  }
  return Status::ok;
}

void LeafPlacer::place_by_step(RowLeaf& leaf, const int64_t* selected,
                               int64_t count) const noexcept {
  const int64_t step = step_of(leaf);
  for (int64_t row = 0; row < count; ++row) {
    leaf.places[static_cast<size_t>(row)] = (selected == nullptr ? row : selected[row]) * step;
  }
}

/// Returns the values of a stage as positions of a mode.
PositionTable LeafPlacer::positions_of(const RowLeaf& leaf, size_t mode,
                                       size_t stage) const noexcept {
  PositionTable table = memory_.expressions[stage].stored_values();
  table.origin = leaf.view->origin[mode];
  table.extent = leaf.view->shape[mode];
  table.stride = leaf.view->strides[mode] * size_of(leaf.view->dtype);
  return table;
}

/// Places all rows of a block by their steps and the first mode that is gathered.
Status LeafPlacer::gather_first(RowLeaf& leaf, size_t mode, size_t stage, int64_t count) noexcept {
  const PositionTable table = positions_of(leaf, mode, stage);
  return set_positions(table, 0, count, 0, step_of(leaf), leaf.places.data())
             ? Status::ok
             : Status::out_of_range;
}

Status LeafPlacer::gather(RowLeaf& leaf, size_t mode, size_t stage, const int64_t* selected,
                          int64_t count) noexcept {
  const PositionTable table = positions_of(leaf, mode, stage);
  int64_t* const places = leaf.places.data();
  if (is_closed(leaf, mode) && selected == nullptr) {
    return add_positions(table, 0, count, places) ? Status::ok : Status::out_of_range;
  }
  const int64_t origin = table.origin;
  if (is_closed(leaf, mode)) {
    const auto* found = reinterpret_cast<const int64_t*>(memory_.expressions[stage].value);
    uint64_t furthest = 0;
    for (int64_t row = 0; row < count; ++row) {
      const int64_t place = found[selected[row]] - origin;
      furthest = std::max(furthest, static_cast<uint64_t>(place));
      places[row] += place * table.stride;
    }
    return furthest < static_cast<uint64_t>(table.extent) ? Status::ok : Status::out_of_range;
  }
  const expr::Boundary& outside =
      expr::boundary_of(std::get<expr::Access>(leaf.from->what).index[mode]);
  for (int64_t row = 0; row < count; ++row) {
    const int64_t position = value_of(stage, selected == nullptr ? row : selected[row]);
    const std::optional<int64_t> inside = expr::bounded(position, origin + table.extent, outside);
    if (!inside || *inside < origin) {
      return Status::out_of_range;
    }
    places[row] += (*inside - origin) * table.stride;
  }
  return Status::ok;
}

int64_t LeafPlacer::value_of(size_t stage, int64_t row) const noexcept {
  const PositionTable numbers = memory_.expressions[stage].stored_values();
  return position_in(numbers.dtype, numbers.first + row * size_of(numbers.dtype));
}

/// Notes the faulty read: the first that left the mode.
void LeafPlacer::note_outside(const RowLeaf& leaf, size_t mode, size_t stage,
                              const StagedRows& rows) const noexcept {
  const auto& access = std::get<expr::Access>(leaf.from->what);
  const int64_t origin = leaf.view->origin[mode];
  const int64_t extent = origin + leaf.view->shape[mode];
  for (int64_t row = 0; call_.fault != nullptr && row < rows.count; ++row) {
    const int64_t position = value_of(stage, rows.values == nullptr ? row : rows.values[row]);
    const std::optional<int64_t> inside =
        expr::bounded(position, extent, expr::boundary_of(access.index[mode]));
    if (inside && *inside >= origin) {
      continue;
    }
    for (size_t label = 0; label < call_.ranges.size(); ++label) {
      call_.fault->labels[label] = call_.ranges[label].begin;
    }
    for (size_t label = 0; label < program_.rows.size(); ++label) {
      const int64_t in_block = rows.selected == nullptr ? row : rows.selected[row];
      call_.fault->labels[static_cast<size_t>(program_.rows[label])] +=
          memory_.positions[label] + (label == along_ ? in_block : 0);
    }
    const expr::Scalar& source = program_.stages[stage].source;
    call_.fault->body = &source;
    call_.fault->node = static_cast<int32_t>(source.nodes.size()) - 1;
    call_.fault->operand = access.operand;
    call_.fault->mode = mode;
    call_.fault->position = position;
    call_.fault->extent = extent;
    return;
  }
}

}  // namespace tessera::kernels
