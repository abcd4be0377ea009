#pragma once

#include <cstdint>
#include <optional>

#include "optimizer/einsum/rule.h"
#include "optimizer/rewrite/passed.h"

namespace tessera::optimizer {

/// What one sweep of a rule over a program made.
using Sweep = rewrite::Passed<einsum::Graph>;

/// Applies a rule to every vertex (rewrite/sweep.h).
Sweep sweep(einsum::Graph graph, const Rule& rule, const kernels::Context& context,
            std::optional<int64_t> largest_intermediate_bytes = {});

}  // namespace tessera::optimizer
