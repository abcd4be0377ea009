#pragma once

#include <vector>

#include "kernels/kernel.h"

namespace tessera::kernels {

/// What predictions of time count in a statement. Numbers are doubles, since products of extents
/// may pass 2^63.

/// Positions of some labels together, in the part of them that a call runs over.
double num_positions(const std::vector<expr::LabelNumber>& labels, const CallShape& shape);

/// Functions that are called for one position: those of the bodies and of merging their results.
double num_calls(const expr::TileStatement& statement);

/// Bytes of the results and of what every access reads, each element once, also where accesses by
/// the same labels read it at several places.
double bytes_moved(const expr::TileStatement& statement, const CallShape& shape);

}  // namespace tessera::kernels
