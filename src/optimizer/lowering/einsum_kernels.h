#pragma once

#include <vector>

#include "expr/tile_program.h"
#include "ir/einsum/graph.h"
#include "optimizer/partition/model/reading.h"

namespace tessera::optimizer {

/// What a statement does with its tiles. Inputs are its readings, in order.

/// The vertex's statement over tiles: an element is lifted into the aggregate's state where it is
/// made.
expr::TileProgram kernel_of(const einsum::EinSum& einsum,
                            const std::vector<partition::Reading>& readings);

/// The element-wise program that reads the aggregate's result from its state.
expr::TileProgram finalise_program(const einsum::EinSum& einsum);

/// The call of a function of whole arrays, which lie whole in their tiles.
expr::TileProgram whole_call(const einsum::Whole& whole,
                             const std::vector<partition::Reading>& readings);

}  // namespace tessera::optimizer
