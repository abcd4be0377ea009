#pragma once

#include <cstdint>
#include <vector>

#include "expr/scalar.h"
#include "ir/einsum/graph.h"

namespace tessera::optimizer {

/// The operands of a vertex that is made of parts of another, in the order they are met.
class OperandList {
 public:
  explicit OperandList(const einsum::Vertex& from)
      : from_(from), numbers_(from.operands.size(), -1) {}

  /// Lists the operands that a part of the other vertex's body reads.
  void meet(const expr::Scalar& part);
  /// Lists a vertex that the other does not read; returns its number.
  int32_t add(einsum::VertexId vertex);

  /// Copies a part that was met, its labels renumbered by `labels`. Returns the node of its result.
  int32_t copy(expr::ScalarBuilder& builder, const expr::Scalar& part,
               const std::vector<expr::LabelNumber>& labels) const;
  const std::vector<einsum::VertexId>& vertices() const { return vertices_; }

 private:
  const einsum::Vertex& from_;
  std::vector<int32_t> numbers_;
  std::vector<einsum::VertexId> vertices_;
};

}  // namespace tessera::optimizer
