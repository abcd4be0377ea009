#pragma once

#include <vector>

#include "kernels/kernel.h"

namespace tessera::kernels {

/// The counts behind predictions of a statement's time. Numbers are doubles, because products of
/// extents may pass 2^63.

/// Counts the positions of some labels together, in the part of them that a call runs over.
double num_positions(const std::vector<expr::LabelNumber>& labels, const CallShape& shape);

/// Counts the functions called for one position: those of the bodies and of merging their results.
double num_calls(const expr::TileStatement& statement);

/// Counts the bytes of the results and of every access, each element once, even if accesses by the
/// same labels read it at several places.
double bytes_moved(const expr::TileStatement& statement, const CallShape& shape);

}  // namespace tessera::kernels
