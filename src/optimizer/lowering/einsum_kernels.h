#pragma once

#include <vector>

#include "expr/tile_program.h"
#include "ir/einsum/graph.h"
#include "optimizer/partition/model/reading.h"

namespace tessera::optimizer {

/// The tile programs of a statement. Their inputs are its readings, in order.

/// Returns the statement with a state that no order of merging spoils: a product of reals also says
/// if all its elements are finite (expr/finite_product.h). All other statements stay.
einsum::EinSum with_state_in_range(einsum::EinSum einsum);

/// Returns the vertex's statement over tiles: each element is lifted into the aggregate's state
/// when it is computed.
expr::TileProgram kernel_of(const einsum::EinSum& einsum,
                            const std::vector<partition::Reading>& readings);

/// Returns the element-wise program that reads the aggregate's result from its state.
expr::TileProgram finalise_program(const einsum::EinSum& einsum);

/// Returns the call of a function of whole arrays, which lie whole in their tiles.
expr::TileProgram whole_call(const einsum::Whole& whole,
                             const std::vector<partition::Reading>& readings);

}  // namespace tessera::optimizer
