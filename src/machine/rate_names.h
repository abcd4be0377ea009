#pragma once

#include <map>
#include <string>

#include "machine/machine.h"

namespace tessera {

/// The names of the rates of one kind that may be described or measured.
template <class Rates>
using RateNames = std::map<std::string, double Rates::*>;

const RateNames<KernelRates>&
kernel_rates();                            // for `tessera calibrate`, and [kernels] of a cluster
const RateNames<FileCosts>& file_rates();  // for [files] of a cluster

}  // namespace tessera
