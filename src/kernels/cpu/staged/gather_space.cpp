#include "kernels/cpu/staged/gather_space.h"

namespace tessera::kernels {

GatherSpace::GatherSpace(const Gathered& gathered, const TileView& operand,
                         std::span<const TileView> views, std::span<const LabelRange> ranges,
                         const TileView& copy) noexcept
    : num_tables_(gathered.modes.size()), num_dims_(gathered.labels.size()) {
  const int64_t bytes = size_of(operand.dtype);
  rows_ = {operand.data, 0, {}, copy.data, 1, bytes, operand.dtype};
  for (size_t dim = 0; dim < num_dims_; ++dim) {
    length_[dim] = copy.shape[dim];
    step_[dim] = 0;
  }
  for (size_t mode = 0; mode < gathered.index.size(); ++mode) {
    add_mode(gathered, gathered.index[mode], operand.strides[mode] * bytes, operand.origin[mode],
             ranges, step_, from_);
  }
  for (size_t number = 0; number < num_tables_; ++number) {
    const GatheredMode& mode = gathered.modes[number];
    const TileView& table = views[static_cast<size_t>(mode.table.operand)];
    table_steps_[number].fill(0);
    int64_t first = 0;
    for (size_t of_table = 0; of_table < mode.table.index.size(); ++of_table) {
      add_mode(gathered, mode.table.index[of_table], table.strides[of_table],
               table.origin[of_table], ranges, table_steps_[number], first);
    }
    tables_[number] = {table.data + first * size_of(table.dtype),
                       table.dtype,
                       0,
                       operand.origin[mode.mode],
                       operand.shape[mode.mode],
                       operand.strides[mode.mode] * bytes,
                       &mode.outside,
                       gathered.isa};
  }
}

/// Adds the steps of a mode that is read at a label or a fixed place; skips gathered modes.
void GatherSpace::add_mode(const Gathered& gathered, const expr::Index& index, int64_t stride,
                           int64_t origin, std::span<const LabelRange> ranges,
                           std::array<int64_t, kMostModes>& steps, int64_t& first) const noexcept {
  if (!expr::is_plain_or_fixed(index)) {
    return;
  }
  int64_t position = expr::offset_of(index);
  if (const std::optional<expr::LabelNumber> label = expr::plain_label(index)) {
    position += ranges[static_cast<size_t>(*label)].begin;
    for (size_t dim = 0; dim < num_dims_; ++dim) {
      steps[dim] += gathered.labels[dim] == *label ? stride : 0;
    }
  }
  first += (position - origin) * stride;
}

/// True if a dimension continues the one before it, so that both are walked as one.
bool GatherSpace::goes_on(size_t dim) const noexcept {
  bool does = step_[dim - 1] == step_[dim] * length_[dim];
  for (size_t table = 0; table < num_tables_; ++table) {
    const auto& steps = table_steps_[table];
    does = does && steps[dim - 1] == steps[dim] * length_[dim];
  }
  return does;
}

/// Drops dimensions of one position, and merges two that everything walks as one.
void GatherSpace::simplify() noexcept {
  size_t kept = 0;
  for (size_t dim = 0; dim < num_dims_; ++dim) {
    if (length_[dim] == 1) {
      continue;
    }
    length_[kept] = length_[dim];
    step_[kept] = step_[dim];
    for (size_t table = 0; table < num_tables_; ++table) {
      table_steps_[table][kept] = table_steps_[table][dim];
    }
    const bool is_merged = kept > 0 && goes_on(kept);
    if (is_merged) {
      length_[kept - 1] *= length_[kept];
      step_[kept - 1] = step_[kept];
      for (size_t table = 0; table < num_tables_; ++table) {
        table_steps_[table][kept - 1] = table_steps_[table][kept];
      }
    }
    kept += is_merged ? 0 : 1;
  }
  num_dims_ = kept;
}

/// Makes a row of elements that are contiguous in the operand.
void GatherSpace::take_row() noexcept {
  const auto is_of_table = [&](size_t dim) {
    bool is_so = false;
    for (size_t table = 0; table < num_tables_; ++table) {
      is_so = is_so || table_steps_[table][dim] != 0;
    }
    return is_so;
  };
  if (num_dims_ > 0 && step_[num_dims_ - 1] == rows_.row_bytes && !is_of_table(num_dims_ - 1)) {
    rows_.row_bytes *= length_[--num_dims_];
  }
}

/// Makes a run of the last dimension, which counts its rows.
void GatherSpace::take_run() noexcept {
  if (num_dims_ > 0) {
    --num_dims_;
    rows_.num_rows = length_[num_dims_];
    rows_.step = step_[num_dims_];
    for (size_t table = 0; table < num_tables_; ++table) {
      tables_[table].step = table_steps_[table][num_dims_];
    }
  }
}

int64_t GatherSpace::fill() noexcept {
  int64_t elements = 1;
  for (size_t dim = 0; dim < num_dims_; ++dim) {
    elements *= length_[dim];
  }
  if (elements == 0) {
    return 0;
  }
  const int64_t element_bytes = rows_.row_bytes;
  simplify();
  take_row();
  take_run();
  std::byte* const to = rows_.to;
  do {
    TableViews tables;
    const int64_t copied = gather_rows(rows_here(tables));
    rows_.to += copied * rows_.row_bytes;
    if (copied < rows_.num_rows) {
      break;
    }
  } while (advance());
  return (rows_.to - to) / element_bytes;
}

/// Returns the current run; `tables` are the places of its numbers.
GatheredRows GatherSpace::rows_here(TableViews& tables) const noexcept {
  GatheredRows rows = rows_;
  tables = tables_;
  int64_t place = from_;
  for (size_t dim = 0; dim < num_dims_; ++dim) {
    place += at_[dim] * step_[dim];
    for (size_t table = 0; table < num_tables_; ++table) {
      tables[table].first += at_[dim] * table_steps_[table][dim] * size_of(tables[table].dtype);
    }
  }
  rows.from += place;
  rows.tables = {tables.data(), num_tables_};
  return rows;
}

/// Goes to the next position of the dimensions around rows. Returns false after the last.
bool GatherSpace::advance() noexcept {
  for (size_t dim = num_dims_; dim-- > 0;) {
    if (++at_[dim] < length_[dim]) {
      return true;
    }
    at_[dim] = 0;
  }
  return false;
}

}  // namespace tessera::kernels
