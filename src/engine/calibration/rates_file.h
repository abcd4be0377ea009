#pragma once

#include <string>

#include "base/refusal.h"
#include "machine/machine.h"

namespace tessera::engine {

/// Writes the measured rates of a machine (Machine::rates_measured) to a JSON file, and makes its
/// directories. Errors: `user` and `resource`, those of a result's file.
void write_rates(const std::string& path, const Machine& machine);

/// Takes the rates and their date from such a file. A file that is missing or unreadable, was
/// written by another version of the cost models or is for another processor or instruction set is
/// refused: the machine stays the same.
OrRefusal<Done> read_rates(const std::string& path, Machine& machine);

}  // namespace tessera::engine
