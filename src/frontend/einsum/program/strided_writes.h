#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "frontend/einsum/einsum.h"
#include "frontend/einsum/program/resolved.h"
#include "frontend/einsum/program/strided_positions.h"

/// Tensors that several statements write together, as Y[2*i] = a[i] and Y[2*i+1] = b[i] do.
namespace tessera::frontend {

/// The write of one statement: a tensor whose modes lie at these positions of the whole.
struct StridedWrite {
  einsum::VertexId vertex;
  std::vector<StridedPositions> modes;
  std::vector<std::optional<int64_t>> extents;  // of the whole, if the statement gives one
  SourceSpan span;
};

/// Returns the positions that a place on the left takes. Throws a user Error if they exceed 64
/// bits.
StridedPositions positions_of(const LeftMode& mode, const std::vector<StatementLabel>& labels);

/// Returns the extents of the whole: the given ones, else those that the statements write up to.
/// Returns nothing if an element is written twice, or not at all, or lies outside; then there is a
/// finding.
std::optional<Shape> shape_of_writes(const std::string& tensor,
                                     const std::vector<StridedWrite>& writes,
                                     Diagnostics& findings);

/// Makes the vertex of the whole, without a name or an origin. REQUIRES that the shape is
/// shape_of_writes.
einsum::Vertex join_writes(const std::vector<StridedWrite>& writes, const Shape& shape,
                           const einsum::Graph& graph, const Vocabulary& vocabulary);

}  // namespace tessera::frontend
