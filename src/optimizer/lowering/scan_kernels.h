#pragma once

#include <vector>

#include "expr/tile_program.h"
#include "ir/einsum/graph.h"
#include "optimizer/partition/model/reading.h"

namespace tessera::optimizer {

/// What a scan does with its tiles. Inputs are its readings, in order.

/// The scan where its label lies whole.
expr::TileProgram whole_scan(const einsum::Scan& scan,
                             const std::vector<partition::Reading>& readings);

/// All that lies in a tile along the label, merged in the order of the scan: the results are the
/// entries of the state, without the label.
expr::TileProgram merged_tile(const einsum::Scan& scan,
                              const std::vector<partition::Reading>& readings);

/// The states behind a tile: those before it, merged with all that lies in the tile, which kernels
/// walk from there (kernels/scan_start.h). Inputs are what the tile merges to, an entry of the
/// state each, which spares the walk; the readings; the states before.
expr::TileProgram states_behind(const einsum::Scan& scan,
                                const std::vector<partition::Reading>& readings);

/// The scan of a tile after what lies before it, which comes in behind the readings: an entry of
/// the state each.
expr::TileProgram scan_from(const einsum::Scan& scan,
                            const std::vector<partition::Reading>& readings);

}  // namespace tessera::optimizer
