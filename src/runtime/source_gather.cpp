#include "runtime/source_gather.h"

#include <algorithm>
#include <vector>

#include "types/native.h"

namespace tessera::runtime {

namespace {

/// Entries whose positions are looked up at once: what a task holds beside its tiles.
constexpr int64_t kEntriesOfBlock = 4096;

/// Of a view, without the modes before `begin` and from `end` on.
int64_t elements_between(const TileView& view, size_t begin, size_t end) {
  int64_t elements = 1;
  for (size_t mode = begin; mode < end; ++mode) {
    elements *= view.shape[mode];
  }
  return elements;
}

/// Of a dense array.
ModeValues strides_of(const ModeValues& shape) {
  ModeValues strides = shape;
  int64_t stride = 1;
  for (size_t mode = shape.size(); mode-- > 0;) {
    strides[mode] = stride;
    stride *= shape[mode];
  }
  return strides;
}

/// The place of an entry in a table, its entries counted in row-major order.
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

/// The integers of a table from an entry on.
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
    : program_(program), ranges_(ranges), gather_(*expr::gather_in_order(program)) {}

bool SourceGather::run(const store::TileSource& source, const TileView& table,
                       const TileView& gathered, kernels::DataFault& read) const {
  const int64_t num_entries = elements_between(table, 0, table.shape.size());
  const int64_t num_before = elements_between(gathered, 0, gather_.mode);
  const int64_t extent = source.type().shape[gather_.mode];
  std::vector<int64_t> block(static_cast<size_t>(std::min(num_entries, kEntriesOfBlock)));
  TileView part = part_for(gathered);
  const int64_t bytes = part.strides[gather_.mode] * size_of(part.dtype);  // of one entry
  for (int64_t before = 0; before < num_before && bytes > 0; ++before) {
    place_before(gathered, before, part);
    for (int64_t first = 0; first < num_entries; first += kEntriesOfBlock) {
      const std::span<int64_t> positions = std::span(block).first(
          static_cast<size_t>(std::min(kEntriesOfBlock, num_entries - first)));
      if (!look_up(table, first, positions, extent, read)) {
        return false;
      }
      part.shape[gather_.mode] = static_cast<int64_t>(positions.size());
      source.gather(part, gather_.mode, positions);
      part.data += part.shape[gather_.mode] * bytes;
    }
  }
  return true;
}

/// What is gathered of one entry, in the modes of the source: its place and where it goes first.
TileView SourceGather::part_for(const TileView& gathered) const {
  const size_t ndim = gather_.copied.index.size();
  TileView part = gathered;
  part.shape = ModeValues(ndim, 1);
  part.origin = ModeValues(ndim, 0);
  for (size_t inner = gather_.mode + 1; inner < ndim; ++inner) {
    part.shape[inner] = gathered.shape[gathered.shape.size() - ndim + inner];
    part.origin[inner] = gathered.origin[gathered.shape.size() - ndim + inner];
  }
  part.strides = strides_of(part.shape);
  return part;
}

/// Sets the place in the modes before the gathered one, their positions counted in row-major order.
void SourceGather::place_before(const TileView& gathered, int64_t before, TileView& part) const {
  for (size_t outer = gather_.mode; outer-- > 0;) {
    part.origin[outer] = gathered.origin[outer] + before % gathered.shape[outer];
    before /= gathered.shape[outer];
  }
}

bool SourceGather::look_up(const TileView& table, int64_t first, std::span<int64_t> positions,
                           int64_t extent, kernels::DataFault& read) const {
  read_entries(table, first, positions);
  const auto outside = std::find_if(positions.begin(), positions.end(), [&](int64_t position) {
    return position < 0 || position >= extent;
  });
  if (outside == positions.end()) {
    return true;
  }
  const ModeValues place = place_of(table, first + (outside - positions.begin()));
  for (size_t of_table = 0; of_table < place.size(); ++of_table) {
    const auto label = static_cast<size_t>(*expr::plain_label(gather_.table.index[of_table]));
    read.labels[label] = ranges_[label].begin + place[of_table];
  }
  read.body = &program_.statements.front().bodies.front();
  read.node = 0;
  read.operand = gather_.copied.operand;
  read.mode = gather_.mode;
  read.position = *outside;
  read.extent = extent;
  return false;
}

}  // namespace tessera::runtime
