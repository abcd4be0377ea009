#pragma once

#include <vector>

#include "expr/tile_program.h"
#include "ir/einsum/graph.h"
#include "optimizer/partition/model/reading.h"

namespace tessera::optimizer {

/// The tile programs of a scan. Their inputs are its readings, in order.

/// Returns the scan of a label that lies whole in a tile.
expr::TileProgram whole_scan(const einsum::Scan& scan,
                             const std::vector<partition::Reading>& readings);

/// Returns the merge of all elements of a tile along the label, in the order of the scan: the
/// results are the entries of the state, without the label.
expr::TileProgram merged_tile(const einsum::Scan& scan,
                              const std::vector<partition::Reading>& readings);

/// Returns the program of the states behind a tile: the states before it, merged with the tile's
/// elements, which kernels walk from there (kernels/scan_start.h). Its inputs are the entries of
/// the tile's merged state, which spare the walk; the readings; and the states before.
expr::TileProgram states_behind(const einsum::Scan& scan,
                                const std::vector<partition::Reading>& readings);

/// Returns the scan of a tile that starts from the states before it, whose entries are inputs
/// behind the readings.
expr::TileProgram scan_from(const einsum::Scan& scan,
                            const std::vector<partition::Reading>& readings);

}  // namespace tessera::optimizer
