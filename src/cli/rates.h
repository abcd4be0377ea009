#pragma once

#include <string>

#include "machine/machine.h"

namespace tessera::cli {

/// The file with the rates of this host: the one that TESSERA_RATES names, else one in the user's
/// cache; empty where TESSERA_RATES is set and empty, or there is no HOME.
std::string rates_path();

/// This machine, with the rates of that file where there is one. A file that is there but of no
/// use, or that TESSERA_RATES names and that is not there, is warned of, unless `quiet`.
Machine measured_machine(bool quiet);

}  // namespace tessera::cli
