#pragma once

#include <string>

#include "expr/aggregate.h"
#include "expr/function.h"
#include "kernels/precision.h"
#include "machine/machine.h"

namespace tessera::kernels {

class Registry;

/// The context of rules, kernels and cost models: the session's registries, and the machine it
/// plans for. Everything is borrowed from the session. Threads: read by any number.
struct Context {
  const expr::FunctionRegistry& functions;
  const expr::AggregateRegistry& aggregates;
  const Registry& kernels;
  const Machine& machine;
  /// This kernel is chosen only if no other can run a program; empty: none is put last. The choice
  /// then does not depend on the size of a call, unless other kernels refuse by size.
  std::string last_kernel = {};
  /// The precision of sums of f32 products.
  Precision precision = Precision::f32;
};

/// Returns the context for a plan. For a plan with reproducible bits, `reference` is put last and
/// computes functions like the kernels of the instruction set, and products are of f32.
Context context_for(Context context, bool is_reproducible);

}  // namespace tessera::kernels
