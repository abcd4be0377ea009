#pragma once

#include <string>

#include "expr/aggregate.h"
#include "expr/function.h"
#include "kernels/precision.h"
#include "machine/machine.h"

namespace tessera::kernels {

class Registry;

/// What rules, kernels and cost models are given besides what they look at: what a session knows,
/// and the machine it plans for. Everything is borrowed from the session. Threads: read by any
/// number.
struct Context {
  const expr::FunctionRegistry& functions;
  const expr::AggregateRegistry& aggregates;
  const Registry& kernels;
  const Machine& machine;
  /// This kernel is chosen only where no other can run a program; empty: none is put last. What is
  /// chosen then does not depend on how large a call is as long as others do not refuse by size.
  std::string last_kernel = {};
  /// How exact sums of f32 products have to be.
  Precision precision = Precision::f32;
};

/// The context for a plan. One whose bits are to be reproducible takes `reference` last, which then
/// computes functions as the kernels of the instruction set do; and its products are of f32.
Context context_for(Context context, bool is_reproducible);

}  // namespace tessera::kernels
