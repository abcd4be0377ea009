#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cpu/blocked/program.h"
#include "kernels/generated/formula.h"

namespace tessera::kernels {

/// A run of functions of a block program that can be one: `root` computes what `formula` says of
/// `inputs`.
struct GeneratedPart {
  int32_t root = -1;
  std::vector<int32_t> inputs;
  generated::Formula formula;
};

/// The runs of two functions or more whose inner values nothing else reads. `names` has the
/// function of each value that has one, `is_uniform` whether it is expected to have one value in a
/// whole block: such are left to be computed once for a block, not for each element of it.
std::vector<GeneratedPart> generated_parts(const std::vector<BlockProgram::Value>& values,
                                           const std::vector<int32_t>& results,
                                           const std::vector<std::string>& names,
                                           const std::vector<bool>& is_uniform);

}  // namespace tessera::kernels
