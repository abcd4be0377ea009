#include "plan/lineage.h"

namespace tessera::plan {

namespace {

/// Returns the piece or window that the key names for a label, or all of it if no dimension counts
/// it.
tra::PieceSpan span_of(const std::string& label, int64_t extent,
                       const std::vector<tra::KeyDim>& dims, const Key& key) {
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    if (tra::label_of(dims[dim]) == label) {
      return tra::span_of(dims[dim], key[dim]).value_or(tra::PieceSpan{0, extent});
    }
  }
  return {0, extent};
}

}  // namespace

Box box_of(const tra::Column& column, const std::vector<tra::KeyDim>& dims, const Key& key) {
  Box box;
  for (const tra::Mode& mode : column.modes) {
    const tra::PieceSpan span = span_of(mode.label, mode.extent, dims, key);
    box.origin.push_back(span.begin);
    box.extent.push_back(span.length);
  }
  return box;
}

kernels::LabelRange range_of(const expr::LabelDecl& label, const std::vector<tra::KeyDim>& dims,
                             const Key& key) {
  const tra::PieceSpan span = span_of(label.name, label.extent, dims, key);
  return {span.begin, span.length};
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
