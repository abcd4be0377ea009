#pragma once

#include <optional>

#include "expr/monoid.h"
#include "kernels/isa/scan_table.h"

namespace tessera::kernels {

/// Returns the loop that scans by a monoid; none if it has no loop of its own.
std::optional<ScanEntry> loop_of(const expr::Monoid& monoid, Isa isa);

}  // namespace tessera::kernels
