#pragma once

#include <optional>
#include <vector>

#include "expr/tile_program.h"

namespace tessera::expr {

/// A copy through one table, x[.., t[..], ..]: the access of the table t, that of what is copied,
/// x, and the mode of x that is gathered.
struct Gather {
  Access table;
  DType table_dtype = DType::i64;
  Access copied;
  DType dtype = DType::f32;
  size_t mode = 0;
};

/// The gather that an expression is, every other index of it plain or fixed; nothing where it is
/// anything else.
std::optional<Gather> gather_of(const Scalar& expression);

}  // namespace tessera::expr
