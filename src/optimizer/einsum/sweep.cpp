#include "optimizer/einsum/sweep.h"

#include <utility>

#include "optimizer/rewrite/sweep.h"

namespace tessera::optimizer {

Sweep sweep(einsum::Graph graph, const Rule& rule, const kernels::Context& context,
            std::optional<int64_t> largest_intermediate_bytes) {
  return rewrite::sweep(std::move(graph), rule, context, largest_intermediate_bytes);
}

}  // namespace tessera::optimizer
