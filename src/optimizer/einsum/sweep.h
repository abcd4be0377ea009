#pragma once

#include "optimizer/einsum/rule.h"
#include "optimizer/rewrite/passed.h"
#include "optimizer/rewrite/rule.h"

namespace tessera::optimizer {

/// The result of one sweep of a rule over a program.
using Sweep = rewrite::Passed<einsum::Graph>;

/// Applies a rule to every vertex (rewrite/sweep.h).
Sweep sweep(einsum::Graph graph, const Rule& rule, const kernels::Context& context,
            const rewrite::RewriteWishes& wishes = {});

}  // namespace tessera::optimizer
