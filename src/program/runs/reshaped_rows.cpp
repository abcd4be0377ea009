#include "program/runs/reshaped_rows.h"

#include <utility>

#include "base/error.h"

namespace tessera::program {

namespace {

/// A view whose first modes, all but the last of them of extent 1, are one: the rows from this one
/// on.
TileView one_mode(const TileView& view, size_t num_grid_modes, int64_t first_row) {
  TileView rows = view;
  const size_t last = num_grid_modes - 1;
  const size_t num_modes = view.shape.size() - last;
  rows.shape = ModeValues(num_modes, 0);
  rows.strides = ModeValues(num_modes, 0);
  rows.origin = ModeValues(num_modes, 0);
  for (size_t mode = 0; mode < num_modes; ++mode) {
    rows.shape[mode] = view.shape[last + mode];
    rows.strides[mode] = view.strides[last + mode];
    rows.origin[mode] = view.origin[last + mode];
  }
  rows.origin[0] = first_row;
  return rows;
}

}  // namespace

void for_each_run(const TileView& view, const Shape& grid,
                  const std::function<void(const TileView&)>& visit) {
  if (grid.empty()) {  // one row, which has no mode
    TileView row = view;
    row.shape.prepend(1, 1);
    row.strides.prepend(1, 0);
    row.origin.prepend(1, 0);
    visit(row);
    return;
  }
  const Box runs = box_of(view);
  int64_t num_runs = 1;
  for (size_t mode = 0; mode + 1 < grid.size(); ++mode) {
    num_runs *= runs.extent[mode];
  }
  for (int64_t run = 0; run < num_runs; ++run) {
    Box box = runs;
    int64_t rest = run;
    for (size_t mode = grid.size() - 1; mode-- > 0;) {
      box.origin[mode] = runs.origin[mode] + rest % runs.extent[mode];
      box.extent[mode] = 1;
      rest /= runs.extent[mode];
    }
    int64_t row = 0;
    for (size_t mode = 0; mode < grid.size(); ++mode) {
      row = row * grid[mode] + box.origin[mode];
    }
    visit(one_mode(subview(view, box), grid.size(), row));
  }
}

ArrayType OneRow::type() const {
  ArrayType type = tensor_->type();
  type.shape.insert(type.shape.begin(), 1);
  return type;
}

void OneRow::read(const TileView& into) const {
  TileView tensor = into;
  const auto without_first = [](const ModeValues& values) {
    std::vector<int64_t> rest = values.to_vector();
    rest.erase(rest.begin());
    return ModeValues(rest);
  };
  tensor.shape = without_first(into.shape);
  tensor.strides = without_first(into.strides);
  tensor.origin = without_first(into.origin);
  tensor_->read(tensor);
}

ReshapedRows::ReshapedRows(std::shared_ptr<const store::TileSource> rows, ArrayType type,
                           size_t num_grid_modes)
    : rows_(std::move(rows)), type_(std::move(type)), num_grid_modes_(num_grid_modes) {
  TESSERA_CHECK(rows_->type().shape.size() == type_.shape.size() - num_grid_modes_ + 1,
                "rows of {} as {}", to_string(rows_->type()), to_string(type_));
}

void ReshapedRows::read(const TileView& into) const {
  const Shape grid(type_.shape.begin(),
                   type_.shape.begin() + static_cast<std::ptrdiff_t>(num_grid_modes_));
  for_each_run(into, grid, [this](const TileView& run) { rows_->read(run); });
}

}  // namespace tessera::program
