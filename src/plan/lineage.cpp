#include "plan/lineage.h"

#include <fmt/format.h>

#include "base/error.h"

namespace tessera::plan {

namespace {

/// The piece that the key names for a label, or null where no dense dimension counts it.
const ModeGrid* counted(const std::string& label, const std::vector<tra::KeyDim>& dims,
                        const Key& key, int64_t& piece) {
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    const auto* dense = std::get_if<tra::DenseDim>(&dims[dim]);
    if (dense != nullptr && dense->label == label) {
      piece = key[dim];
      return &dense->grid;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<Key> all_keys(const std::vector<tra::KeyDim>& dims) {
  TESSERA_USER_CHECK(tra::num_keys(dims) <= tra::kMostTuples,
                     "a relation would have more than {} tiles; cut into larger ones",
                     tra::kMostTuples);
  if (tra::num_keys(dims) == 0) {
    return {};
  }
  if (tra::num_keys(dims) == 0) {
    return {};  // another dimension may be longer than memory
  }
  std::vector<Key> keys = {{}};
  for (const tra::KeyDim& dim : dims) {
    std::vector<Key> longer;
    longer.reserve(keys.size() * static_cast<size_t>(tra::num_keys(dim)));
    for (const Key& key : keys) {
      for (int64_t position = 0; position < tra::num_keys(dim); ++position) {
        longer.push_back(key);
        longer.back().push_back(position);
      }
    }
    keys = std::move(longer);
  }
  return keys;
}

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

std::string to_string(const Key& key, const std::vector<tra::KeyDim>& dims) {
  std::string text;
  for (size_t dim = 0; dim < key.size(); ++dim) {
    text += fmt::format("{}{}={}", dim == 0 ? "" : ",", tra::label_of(dims[dim]), key[dim]);
  }
  return "(" + text + ")";
}

}  // namespace tessera::plan
