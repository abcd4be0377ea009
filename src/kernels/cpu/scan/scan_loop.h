#pragma once

#include <optional>

#include "expr/monoid.h"
#include "kernels/isa/scan_table.h"

namespace tessera::kernels {

/// The loop that scans by a monoid; none where there is no loop of its own for that.
std::optional<ScanEntry> loop_of(const expr::Monoid& monoid, Isa isa);

}  // namespace tessera::kernels
