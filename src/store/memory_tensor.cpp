#include "store/memory_tensor.h"

#include <utility>

namespace tessera::store {

MemoryTensor::MemoryTensor(ArrayType type)
    : type_(std::move(type)),
      data_(std::make_unique<std::byte[]>(static_cast<size_t>(size_in_bytes(type_)))) {}

TileView MemoryTensor::view() const {
  return dense_view(data_.get(), type_.dtype, whole(type_.shape));
}

void MemoryTensor::read(const TileView& into) const {
  copy_elements(subview(view(), {into.origin, into.shape}), into);
}

void MemoryTensor::write(const TileView& from) {
  copy_elements(from, subview(view(), {from.origin, from.shape}));
}

}  // namespace tessera::store
