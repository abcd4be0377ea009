#include "expr/scalar_part.h"

#include <vector>

namespace tessera::expr {

Scalar part_of(const Scalar& scalar, int32_t node) {
  ScalarBuilder builder;
  // A node of the builder has another number than in the scalar once two nodes before it are equal.
  std::vector<int32_t> where;
  for (int32_t number = 0; number <= node; ++number) {
    where.push_back(builder.add(with_arguments(scalar.nodes[static_cast<size_t>(number)], where)));
  }
  return builder.finish(where.back());
}

}  // namespace tessera::expr
