#pragma once

#include <string>

#include "machine/machine.h"

namespace tessera::engine {

/// Returns the origin of a plan's rates: "built-in rates", "rates measured on 2026-11-25".
std::string rates_text(const Machine& machine);

}  // namespace tessera::engine
