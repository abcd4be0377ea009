#include "store/tile_io.h"

namespace tessera::store {

size_t run_length(std::span<const int64_t> positions) {
  size_t length = 1;
  while (length < positions.size() && positions[length] == positions[length - 1] + 1) {
    ++length;
  }
  return length;
}

/// Consecutive positions are read at once.
void TileSource::gather(const TileView& into, size_t mode,
                        std::span<const int64_t> positions) const {
  TileView part = into;
  while (!positions.empty()) {
    const size_t length = run_length(positions);
    part.origin[mode] = positions.front();
    part.shape[mode] = static_cast<int64_t>(length);
    read(part);
    part.data += part.shape[mode] * into.strides[mode] * size_of(into.dtype);
    positions = positions.subspan(length);
  }
}

std::optional<TileView> TileSource::lend(const Box& /*part*/) const {
  return std::nullopt;
}

int64_t TileSource::bytes_to_read(const Box& part) const {
  return num_elements(part.extent) * size_of(type().dtype);
}

}  // namespace tessera::store
