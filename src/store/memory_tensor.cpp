#include "store/memory_tensor.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace tessera::store {

MemoryTensor::MemoryTensor(const ArrayType& type)
    : owned_(std::make_unique<std::byte[]>(static_cast<size_t>(size_in_bytes(type)))),
      view_(dense_view(owned_.get(), type.dtype, whole(type.shape))) {}

MemoryTensor::MemoryTensor(TileView elements) : view_(std::move(elements)) {
  const ModeValues& origin = view_.origin;
  TESSERA_CHECK(std::count(origin.begin(), origin.end(), 0) == std::ssize(view_.shape),
                "a view of {} at another place than 0", to_string(type()));
}

void MemoryTensor::read(const TileView& into) const {
  copy_elements(subview(view_, box_of(into)), into);
}

std::optional<TileView> MemoryTensor::lend(const Box& part) const {
  return subview(view_, part);
}

void MemoryTensor::write(const TileView& from) {
  copy_elements(from, subview(view_, box_of(from)));
}

}  // namespace tessera::store
