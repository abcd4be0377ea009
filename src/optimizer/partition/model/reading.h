#pragma once

#include <cstdint>
#include <vector>

#include "ir/einsum/graph.h"

namespace tessera::optimizer::partition {

/// One operand of the tile kernel: a vertex read at certain indices. Reading a vertex at two places
/// makes two; reading it twice at the same place makes one.
struct Reading {
  int32_t operand = 0;             // position in Vertex::operands
  std::vector<expr::Index> index;  // one per mode
  friend bool operator==(const Reading&, const Reading&) = default;
};

/// The readings of a statement, in the order of its expressions.
std::vector<Reading> readings_of(const einsum::Op& statement);

/// The expression with every access reading the operand of its Reading.
expr::Scalar over_readings(expr::Scalar body, const std::vector<Reading>& readings);

/// The labels that must not be cut, by label: those that some access reads otherwise than plainly
/// (a window, a stride), as the tile that holds X[2*i+k] does not follow from the piece of i.
std::vector<bool> whole_labels(const einsum::Op& statement);

}  // namespace tessera::optimizer::partition
