#pragma once

#include <optional>
#include <vector>

#include "base/refusal.h"
#include "expr/tile_program.h"

namespace tessera::expr {

/// A statement that sums products of two accesses: out[...] = sum over labels of a[...] * b[...].
struct SummedProduct {
  Access a;
  Access b;
  DType type = DType::f32;  // of the products and the sum: f32, f64, c64 or c128
  int32_t a_node = 0;       // of the body
  int32_t b_node = 0;
};

/// Reads a program of one statement as such a sum, or returns why it is none. Casts that only
/// change a number's storage (f16 to f32) are ignored: products are computed in f32 anyway.
OrRefusal<SummedProduct> summed_product_of(const TileProgram& program);

/// Returns the labels of an access, mode by mode; nothing if a mode is neither a label that no
/// other mode has nor one position.
std::optional<std::vector<LabelNumber>> own_labels(const Access& access);

}  // namespace tessera::expr
