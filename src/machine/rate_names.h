#pragma once

#include <map>
#include <string>

#include "machine/machine.h"

namespace tessera {

/// The rates of one kind that may be described or measured, by name.
template <class Rates>
using RateNames = std::map<std::string, double Rates::*>;

const RateNames<KernelRates>&
kernel_rates();  // what `tessera calibrate` may keep, and [kernels] of a cluster says
const RateNames<FileCosts>& file_rates();  // what [files] of a cluster says

}  // namespace tessera
