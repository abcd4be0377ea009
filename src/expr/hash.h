#pragma once

#include <cstddef>

#include "expr/scalar.h"
#include "expr/tile_program.h"

namespace tessera::expr {

/// Equal expressions have equal hashes, and so have those that differ in nothing but their labels;
/// only parts that differ often are looked at.
size_t hash_of(const Scalar& scalar);

/// Equal programs have equal hashes; only parts that differ often are looked at.
size_t hash_of(const TileProgram& program);

/// A hash with a number mixed in.
inline size_t mixed(size_t hash, size_t number) {
  return hash * 1000003 + number;
}

}  // namespace tessera::expr
