#include "plan/lineage.h"

namespace tessera::plan {

namespace {

/// The piece that the key names for a label, or null where no dense dimension counts it.
const ModeGrid* counted(const std::string& label, const std::vector<tra::KeyDim>& dims,
                        const Key& key, int64_t& piece) {
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    const ModeGrid* grid = tra::grid_of(dims[dim]);
    if (grid != nullptr && tra::label_of(dims[dim]) == label) {
      piece = key[dim];
      return grid;
    }
  }
  return nullptr;
}

}  // namespace

Box box_of(const tra::Column& column, const std::vector<tra::KeyDim>& dims, const Key& key) {
  Box box;
  for (const tra::Mode& mode : column.modes) {
    int64_t piece = 0;
    const ModeGrid* grid = counted(mode.label, dims, key, piece);
    box.origin.push_back(grid == nullptr ? 0 : grid->begin(piece));
    box.extent.push_back(grid == nullptr ? mode.extent : grid->length(piece));
  }
  return box;
}

kernels::LabelRange range_of(const expr::LabelDecl& label, const std::vector<tra::KeyDim>& dims,
                             const Key& key) {
  int64_t piece = 0;
  const ModeGrid* grid = counted(label.name, dims, key, piece);
  return grid == nullptr ? kernels::LabelRange{0, label.extent}
                         : kernels::LabelRange{grid->begin(piece), grid->length(piece)};
}

std::vector<kernels::LabelRange> ranges_of(const expr::TileProgram& program,
                                           const std::vector<tra::KeyDim>& dims, const Key& key) {
  std::vector<kernels::LabelRange> ranges;
  for (const expr::LabelDecl& label : program.labels) {
    ranges.push_back(range_of(label, dims, key));
  }
  return ranges;
}

}  // namespace tessera::plan
