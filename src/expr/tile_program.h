#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "expr/monoid.h"
#include "expr/scalar.h"

namespace tessera::expr {

/// A label of a tile program and its extent in the whole tensor.
struct LabelDecl {
  std::string name;
  int64_t extent = 0;
  friend bool operator==(const LabelDecl&, const LabelDecl&) = default;
};

/// The unit of a reduction in a stated order: `length` positions of a reduced label (a power of
/// two), the other reduced labels whole. kernels/leaf_order.h says what is done within leaves and
/// between them.
struct Leaf {
  LabelNumber label = 0;
  int64_t length = 1;
  friend bool operator==(const Leaf&, const Leaf&) = default;
};

/// One assignment: out[labels] = reduce over labels of body.
///
/// Without `reduce`, `over` is empty and every body is a result of its own. With it there is one
/// body per entry of the monoid's state (lift is written into them), and one result per entry.
/// Label numbers point into the program's table. With a `leaf` the order of the reduction is
/// stated; without one it is the kernel's own.
struct TileStatement {
  std::vector<LabelNumber> out;
  std::vector<LabelNumber> over;
  std::optional<Monoid> reduce;
  std::vector<Scalar> bodies;
  std::optional<Leaf> leaf = std::nullopt;
  friend bool operator==(const TileStatement&, const TileStatement&) = default;
};

/// What a task computes from its tiles: the same small einsum the user wrote over whole tensors.
///
/// Operands 0..num_inputs-1 are the tiles that come in; the results of the statements follow in
/// order, so a statement may read earlier results. The results of the last statement are the tiles
/// that go out. A label runs over the part of its extent that the call names (kernels/kernel.h), so
/// index() is that of the whole tensor.
struct TileProgram {
  std::vector<LabelDecl> labels;
  int32_t num_inputs = 0;
  std::vector<TileStatement> statements;
  friend bool operator==(const TileProgram&, const TileProgram&) = default;
};

/// The number of the label with that name, or -1.
LabelNumber find_label(const TileProgram& program, const std::string& name);

/// Dtypes of the tiles that go out: one for a plain statement, one per state entry for a reduction.
std::vector<DType> output_dtypes(const TileProgram& program);

/// out[l] = combine(x0[l], x1[l]) for every state entry: merges the second n inputs into the first
/// n.
TileProgram combine_program(const Monoid& monoid, const std::vector<LabelDecl>& labels);

}  // namespace tessera::expr
