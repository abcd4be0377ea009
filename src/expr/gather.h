#pragma once

#include <optional>
#include <vector>

#include "expr/tile_program.h"

namespace tessera::expr {

/// A copy through one table, x[.., t[..], ..]: the access of the table t, that of the copied
/// operand x, and the mode of x that is gathered.
struct Gather {
  Access table;
  DType table_dtype = DType::i64;
  Access copied;
  DType dtype = DType::f32;
  size_t mode = 0;
};

/// Reads an expression as a gather with every other index plain or fixed; nothing if it is anything
/// else.
std::optional<Gather> gather_of(const Scalar& expression);

}  // namespace tessera::expr
