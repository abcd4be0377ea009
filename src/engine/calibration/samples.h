#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "kernels/precision.h"
#include "machine/machine.h"

namespace tessera::engine {

/// A call whose time depends on one rate, by the kernel's own cost model.
struct Sample {
  std::string_view rate;     // its name (machine/rate_names.h)
  std::string_view kernel;   // that runs the program
  std::string_view program;  // over f32 or f64, in the text of a plan
  bool is_alone = false;     // one thread runs it; else all of the machine's at once
  kernels::Precision precision = kernels::Precision::f32;
  std::optional<Bf16Unit> unit = {};  // measured only if the machine has it for bf16
};

/// Returns the samples of a machine: one for each measured rate, which determines the predicted
/// seconds of its sample. Rates that others depend on come first, with bytes_per_second at the
/// head. To measure one more, add a line.
std::vector<Sample> samples_of(const Machine& machine);

}  // namespace tessera::engine
