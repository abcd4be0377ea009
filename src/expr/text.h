#pragma once

#include <string>
#include <vector>

#include "expr/tile_program.h"

namespace tessera::expr {

/// How an expression writes its leaves: the names of labels and of operands ("x0", "QH").
struct Names {
  std::vector<std::string> labels;
  std::vector<std::string> operands;
  std::vector<std::string> parameters;
};

/// An expression as people write it, with as few parentheses as its operators need, every dtype readable back:
///   x0[i,k] * x1[k,j]        f32(index(i)) < x0[i]        max(x0[i] - 1.5:f32, 0:f32)
/// A constant carries its dtype after a colon, a cast is dtype(...), any other function name(...).
/// Equal sub-expressions are written out again; reading them back makes them one node.
std::string to_text(const Scalar& scalar, const Names& names);

/// A program between braces, as it stands in a plan:
///   [s=128,h=4,a=64] o[s,h] = sum[a] x0[s,a] * x1[a,h]
/// Several statements are separated by `;`. A reduction over more than one state writes one body per entry in parentheses
/// and names the monoid: o[i] = argmax[j] (x0[i,j], index(j)). A monoid is written `sum:f32` with its state dtypes where
/// the registry has it by that name, and in full where a user made it.
std::string to_text(const TileProgram& program);
std::string to_text(const Monoid& monoid);

}  // namespace tessera::expr
