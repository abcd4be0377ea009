#include "optimizer/einsum/sweep.h"

#include <utility>

#include "optimizer/rewrite/sweep.h"

namespace tessera::optimizer {

Sweep sweep(einsum::Graph graph, const Rule& rule, const kernels::Context& context,
            const rewrite::RewriteWishes& wishes) {
  return rewrite::sweep(std::move(graph), rule, context, wishes);
}

}  // namespace tessera::optimizer
