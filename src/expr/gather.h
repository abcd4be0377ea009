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

/// The same with no position but those of labels and those in the table, where the labels of the
/// result are those of what is copied, in its order, with those of the table in place of the mode
/// that is gathered, each once: for every entry of the table a part of x goes to the result as it
/// lies in x.
std::optional<Gather> gather_in_order(const Scalar& expression,
                                      const std::vector<LabelNumber>& result);

/// The gather in order that a tile program is, of its second input by its first; nothing where it
/// is anything else.
std::optional<Gather> gather_in_order(const TileProgram& program);

}  // namespace tessera::expr
