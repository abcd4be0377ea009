#pragma once

#include <optional>

#include "kernels/generated/generating.h"
#include "machine/isa.h"
#include "machine/machine.h"

namespace tessera::bench {

/// How rows are measured.
struct Options {
  int workers = 1;
  int turns = 5;
  std::optional<Isa> isa;  // ours takes no wider instructions
  Machine machine;         // that ours plans for
  kernels::generated::Generating generating = kernels::generated::Generating::automatic;
};

}  // namespace tessera::bench
