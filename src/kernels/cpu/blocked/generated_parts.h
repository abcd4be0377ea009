#pragma once

#include <string>
#include <vector>

#include "kernels/cpu/blocked/program.h"
#include "kernels/generated/formula.h"

namespace tessera::kernels {

/// A run of functions of a block program that one function can replace: `root` computes `formula`
/// of `inputs`.
struct GeneratedPart {
  int32_t root = -1;
  std::vector<int32_t> inputs;
  generated::Formula formula;
};

/// The way in which values of a program are generated. `names` has the function of each value that
/// has one.
struct GeneratedAs {
  const std::vector<std::string>& names;
  /// By value, true if it is expected to have one value in a whole block. These are computed once
  /// for a block, outside of the code.
  const std::vector<bool>& is_uniform;
  /// True if they are in the code instead, which computes them once in a call: a part reads such a
  /// value by Operation::uniform.
  bool has_uniform_in_code = false;
};

/// Returns the runs of two functions or more whose inner values nothing else reads.
std::vector<GeneratedPart> generated_parts(const std::vector<BlockProgram::Value>& values,
                                           const std::vector<int32_t>& results,
                                           const GeneratedAs& as);

}  // namespace tessera::kernels
