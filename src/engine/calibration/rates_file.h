#pragma once

#include <string>

#include "base/refusal.h"
#include "machine/machine.h"

namespace tessera::engine {

/// Writes the rates of a machine that were measured (Machine::rates_measured) to a JSON file, whose
/// directories are made. Errors: `user` and `resource`, those of a result's file.
void write_rates(const std::string& path, const Machine& machine);

/// Takes the rates and their date from such a file. A file that is not there, cannot be read as
/// one, was written by another version of the cost models or is of another processor or instruction
/// set is refused: the machine stays as it is.
OrRefusal<Done> read_rates(const std::string& path, Machine& machine);

}  // namespace tessera::engine
