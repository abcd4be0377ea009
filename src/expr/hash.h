#pragma once

#include <cstddef>

#include "expr/scalar.h"
#include "expr/tile_program.h"

namespace tessera::expr {

/// Hashes an expression. Equal expressions have equal hashes, and so have those that differ only in
/// their labels; only parts that often differ count.
size_t hash_of(const Scalar& scalar);

/// Hashes a program. Equal programs have equal hashes; only parts that often differ count.
size_t hash_of(const TileProgram& program);

/// Mixes a number into a hash.
inline size_t mixed(size_t hash, size_t number) {
  return hash * 1000003 + number;
}

}  // namespace tessera::expr
