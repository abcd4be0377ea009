#pragma once

#include <string>
#include <vector>

namespace tessera::optimizer {

/// One part of the optimizer's work: every `normalize` rule until none changes anything, or one
/// placed rule, once.
struct Pass {
  std::string placed_rule;  // empty: the normalize rules
};

/// The parts, in order.
std::vector<Pass> pipeline();

}  // namespace tessera::optimizer
