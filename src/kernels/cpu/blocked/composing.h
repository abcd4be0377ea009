#pragma once

#include "kernels/cpu/blocked/program.h"

namespace tessera::kernels {

/// Returns the values of a program with pairs of functions composed, if the instruction set has the
/// two in one (isa/composition_table.h) and nothing else reads the inner one. `results` are
/// renumbered.
std::vector<BlockProgram::Value> composed(std::vector<BlockProgram::Value> values,
                                          std::vector<int32_t>& results, Isa isa);

}  // namespace tessera::kernels
