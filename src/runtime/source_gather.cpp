#include "runtime/source_gather.h"

#include <algorithm>
#include <vector>

#include "types/native.h"

namespace tessera::runtime {

namespace {

/// Entries whose positions are looked up at once: the memory of a task beside its tiles.
constexpr int64_t kEntriesOfBlock = 4096;

/// Counts the elements of a view without the modes before `begin` and from `end` on.
int64_t elements_between(const TileView& view, size_t begin, size_t end) {
  int64_t elements = 1;
  for (size_t mode = begin; mode < end; ++mode) {
    elements *= view.shape[mode];
  }
  return elements;
}

/// Returns the strides of a dense array.
ModeValues strides_of(const ModeValues& shape) {
  ModeValues strides = shape;
  int64_t stride = 1;
  for (size_t mode = shape.size(); mode-- > 0;) {
    strides[mode] = stride;
    stride *= shape[mode];
  }
  return strides;
}

/// Returns the place of an entry in a table, with entries counted in row-major order.
ModeValues place_of(const TileView& table, int64_t entry) {
  ModeValues place = table.shape;
  for (size_t mode = place.size(); mode-- > 0;) {
    place[mode] = entry % table.shape[mode];
    entry /= table.shape[mode];
  }
  return place;
}

int64_t offset_of(const TileView& table, const ModeValues& place) {
  int64_t offset = 0;
  for (size_t mode = 0; mode < place.size(); ++mode) {
    offset += place[mode] * table.strides[mode];
  }
  return offset;
}

/// Reads the integers of a table from an entry on.
void read_entries(const TileView& table, int64_t first, std::span<int64_t> entries) {
  visit_storage_type(table.dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>) {
      if (is_dense(table)) {
        std::transform(table.as<T>() + first, table.as<T>() + first + entries.size(),
                       entries.begin(), [](T entry) { return static_cast<int64_t>(+entry); });
        return;
      }
      for (int64_t& entry : entries) {
        const int64_t offset = offset_of(table, place_of(table, first++));
        entry = static_cast<int64_t>(+table.as<T>()[offset]);  // an i8 is no character
      }
    }
  });
}

}  // namespace

SourceGather::SourceGather(const expr::TileProgram& program,
                           std::span<const kernels::LabelRange> ranges)
    : program_(program), ranges_(ranges), gather_(*expr::table_gather_of(program)) {
  for (const expr::Index& index : gather_.copied.index) {
    std::optional<size_t> mode;
    if (const std::optional<expr::LabelNumber> label = expr::plain_label(index)) {
      const auto found = std::find(gather_.labels.begin(), gather_.labels.end(), *label);
      mode = static_cast<size_t>(found - gather_.labels.begin());
    }
    mode_of_result_.push_back(mode);
  }
}

bool SourceGather::run(const store::TileSource& source, std::span<const TileView> tables,
                       const TileView& gathered, kernels::DataFault& read) const {
  const int64_t num_entries = elements_between(tables[0], 0, tables[0].shape.size());
  const int64_t num_before = elements_between(gathered, 0, gather_.num_before());
  Positions positions(gather_.modes.size());
  TileView part = part_for(gathered);
  const bool is_empty = part.strides[last_mode()] == 0;
  for (int64_t before = 0; before < num_before && !is_empty; ++before) {
    place_before(gathered, before, part);
    for (int64_t first = 0; first < num_entries; first += kEntriesOfBlock) {
      for (std::vector<int64_t>& block : positions) {
        block.resize(static_cast<size_t>(std::min(kEntriesOfBlock, num_entries - first)));
      }
      if (!look_up(tables, first, source.type().shape, positions, read)) {
        return false;
      }
      copy(source, positions, part);
    }
  }
  return true;
}

/// Returns the part gathered for one entry, in the modes of the source: its place and its first
/// target.
TileView SourceGather::part_for(const TileView& gathered) const {
  const size_t ndim = gather_.copied.index.size();
  TileView part = gathered;
  part.shape = ModeValues(ndim, 1);
  part.origin = ModeValues(ndim, 0);
  for (size_t mode = 0; mode < ndim; ++mode) {
    const expr::Index& index = gather_.copied.index[mode];
    if (!mode_of_result_[mode] && expr::is_plain_or_fixed(index)) {
      part.origin[mode] = expr::offset_of(index);
    } else if (mode > last_mode()) {
      part.shape[mode] = gathered.shape[*mode_of_result_[mode]];
      part.origin[mode] = gathered.origin[*mode_of_result_[mode]];
    }
  }
  part.strides = strides_of(part.shape);
  return part;
}

/// Sets the place in the modes before the gathered ones, with positions counted in row-major order.
void SourceGather::place_before(const TileView& gathered, int64_t before, TileView& part) const {
  for (size_t outer = gather_.modes.front().mode; outer-- > 0;) {
    if (const std::optional<size_t> mode = mode_of_result_[outer]) {
      part.origin[outer] = gathered.origin[*mode] + before % gathered.shape[*mode];
      before /= gathered.shape[*mode];
    }
  }
}

bool SourceGather::look_up(std::span<const TileView> tables, int64_t first, const Shape& extents,
                           Positions& positions, kernels::DataFault& read) const {
  for (size_t number = 0; number < positions.size(); ++number) {
    const expr::TableGather::Mode& gathered = gather_.modes[number];
    const int64_t extent = extents[gathered.mode];
    std::vector<int64_t>& of_mode = positions[number];
    read_entries(tables[gathered.table], first, of_mode);
    const auto outside = std::find_if(of_mode.begin(), of_mode.end(), [&](int64_t position) {
      return position < 0 || position >= extent;
    });
    if (outside == of_mode.end()) {
      continue;
    }
    const ModeValues place = place_of(tables[gathered.table], first + (outside - of_mode.begin()));
    const expr::Access& table = gather_.tables[gathered.table];
    for (size_t of_table = 0; of_table < place.size(); ++of_table) {
      const auto label = static_cast<size_t>(*expr::plain_label(table.index[of_table]));
      read.labels[label] = ranges_[label].begin + place[of_table];
    }
    read.body = &program_.statements.front().bodies.front();
    read.node = static_cast<int32_t>(gathered.table);
    read.operand = gather_.copied.operand;
    read.mode = gathered.mode;
    read.position = *outside;
    read.extent = extent;
    return false;
  }
  return true;
}

/// Copies entries. Consecutive ones that differ only in the last gathered mode are read by one
/// call.
void SourceGather::copy(const store::TileSource& source, const Positions& positions,
                        TileView& part) const {
  const int64_t bytes = part.strides[last_mode()] * size_of(part.dtype);  // of one entry
  const std::span<const int64_t> last = positions.back();
  const auto is_beside = [&](size_t entry, size_t other) {
    return std::all_of(
        positions.begin(), positions.end() - 1,
        [&](const std::vector<int64_t>& outer) { return outer[entry] == outer[other]; });
  };
  for (size_t begin = 0, end = 0; begin < last.size(); begin = end) {
    do {
      ++end;
    } while (end < last.size() && is_beside(begin, end));
    for (size_t outer = 0; outer + 1 < positions.size(); ++outer) {
      part.origin[gather_.modes[outer].mode] = positions[outer][begin];
    }
    part.shape[last_mode()] = static_cast<int64_t>(end - begin);
    source.gather(part, last_mode(), last.subspan(begin, end - begin));
    part.data += part.shape[last_mode()] * bytes;
  }
}

}  // namespace tessera::runtime
