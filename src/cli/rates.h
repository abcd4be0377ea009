#pragma once

#include <string>

#include "machine/machine.h"

namespace tessera::cli {

/// Returns the file with the rates of this host: the one that TESSERA_RATES names, else one in the
/// user's cache; empty if TESSERA_RATES is set and empty, or there is no HOME.
std::string rates_path();

/// Returns this machine, with the rates of that file if there is one. Warns, unless `quiet`, of a
/// file that cannot be used, or that TESSERA_RATES names and that is missing.
Machine measured_machine(bool quiet);

}  // namespace tessera::cli
