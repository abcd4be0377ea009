#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "ir/tra/keys.h"
#include "types/shape.h"
#include "types/tile_view.h"

namespace tessera::plans {

/// A dense array in memory, never changed once others may see it; copies share the bytes.
struct Array {
  DType dtype = DType::f32;
  Box box;  // its place in its tensor
  std::shared_ptr<std::vector<std::byte>> bytes;

  TileView view() const { return dense_view(bytes->data(), dtype, box); }
};

Array new_array(DType dtype, Box box);  // of zeros

/// Whether dtype, place and bytes are equal.
bool operator==(const Array& a, const Array& b);

/// The arrays of one key, and the tuples that one site has.
using tra::Key;
using Tuple = std::vector<Array>;
using Tuples = std::map<Key, Tuple>;

/// The part of its tensor that a column of the tuple with this key holds.
Box box_of(const tra::RelationType& type, size_t column, const Key& key);

/// A tuple under another type and key: the same bytes, in the places that these give them.
Tuple placed_as(Tuple tuple, const tra::RelationType& type, const Key& key);

/// The arrays that a program makes of others under a key, in the places of the type's columns: a
/// label that the key counts runs over its piece. Runs the reference interpreter. Errors: `user`
/// for a fault of the data.
Tuple computed(const expr::TileProgram& program, const Tuple& inputs,
               const std::vector<tra::KeyDim>& dims, const Key& key, const tra::RelationType& type);

}  // namespace tessera::plans
