#pragma once

#include <optional>
#include <string>

#include "kernels/kernel.h"

namespace tessera::kernels {

/// A reduction of a function of two elements: merge over some labels of of_join(join(a, b)).
struct Joined {
  std::string join;
  std::string of_join;  // abs or square of the join; empty: the join itself
  std::string merge;
  DType type = DType::f32;  // of the computation; truth values are bytes of 0 and 1
  expr::Access a;
  expr::Access b;
  DType a_type = DType::f32;  // as stored; converted to `type` before it is joined
  DType b_type = DType::f32;
};

/// Reads a statement as a joined reduction, or returns why it is none.
OrRefusal<Joined> read_joined(const expr::TileStatement& statement);

/// A joined reduction with each joined value multiplied by a weight, or by none.
struct WeightedJoined {
  Joined joined;
  std::optional<expr::Access> weights;
  DType weights_type = DType::f32;  // as stored
};
OrRefusal<WeightedJoined> read_weighted_joined(const expr::TileStatement& statement);

/// Reads the first body of a statement of several states as the merged value, merged by the
/// function `merge`. REQUIRES one reduction.
OrRefusal<Joined> read_joined_by(const expr::TileStatement& statement, const std::string& merge);

/// Describes a reduction for refusals: "abs of subtract of f32 by add".
std::string describe(const Joined& joined);

}  // namespace tessera::kernels
