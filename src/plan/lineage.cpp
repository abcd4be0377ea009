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

std::vector<Key> keys_within(const std::vector<KeyRange>& ranges) {
  int64_t num_keys = 1;
  for (const KeyRange& range : ranges) {
    if (range.begin == range.end) {
      return {};  // another dimension may be longer than memory
    }
  }
  for (const KeyRange& range : ranges) {
    TESSERA_USER_CHECK(range.end - range.begin <= tra::kMostTuples / num_keys,
                       "a relation would have more than {} tiles; cut into larger ones",
                       tra::kMostTuples);
    num_keys *= range.end - range.begin;
  }
  std::vector<Key> keys;
  keys.reserve(static_cast<size_t>(num_keys));
  Key key;
  for (const KeyRange& range : ranges) {
    key.push_back(range.begin);
  }
  for (int64_t number = 0; number < num_keys; ++number) {
    keys.push_back(key);
    for (size_t dim = key.size(); dim-- > 0;) {
      if (++key[dim] < ranges[dim].end) {
        break;
      }
      key[dim] = ranges[dim].begin;
    }
  }
  return keys;
}

std::vector<Key> all_keys(const std::vector<tra::KeyDim>& dims) {
  std::vector<KeyRange> ranges;
  for (const tra::KeyDim& dim : dims) {
    ranges.push_back({0, tra::num_keys(dim)});
  }
  return keys_within(ranges);
}

Key coarser_key(const std::vector<tra::KeyDim>& from, const Key& key,
                const std::vector<tra::KeyDim>& to) {
  Key result;
  for (const tra::KeyDim& dim : to) {
    const auto source = static_cast<size_t>(tra::find_key_dim({from, {}}, tra::label_of(dim)));
    const auto* dense = std::get_if<tra::DenseDim>(&dim);
    result.push_back(
        dense == nullptr
            ? key[source]
            : piece_at(dense->grid, std::get<tra::DenseDim>(from[source]).grid.begin(key[source])));
  }
  return result;
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
