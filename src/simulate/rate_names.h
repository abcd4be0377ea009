#pragma once

#include <map>
#include <string>

#include "machine/machine.h"

namespace tessera::simulate {

/// The rates of one kind that a description of a cluster may give, by name.
template <class Rates>
using RateNames = std::map<std::string, double Rates::*>;

const RateNames<KernelRates>& kernel_rates();  // of [kernels]
const RateNames<FileCosts>& file_rates();      // of [files]

}  // namespace tessera::simulate
