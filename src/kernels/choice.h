#pragma once

#include <vector>

#include "kernels/context.h"
#include "kernels/kernel.h"

namespace tessera::kernels {

/// A kernel's answer to a program: a plan for it, or a refusal.
struct Offer {
  const Kernel* kernel = nullptr;
  OrRefusal<KernelPlan> plan;
};

/// Returns the offers of every kernel of the context, in the order of registration.
std::vector<Offer> offers_for(const expr::TileProgram& program, const CallShape& shape,
                              const Context& context);

/// The kernel that runs a program, and its plan.
struct Choice {
  const Kernel* kernel = nullptr;
  KernelPlan plan;
};

/// Returns the cheapest kernel of the context that can run the program, its last_kernel only if
/// there is no other; if none can, a refusal with every kernel's reason.
OrRefusal<Choice> cheapest(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context);

/// Chooses the kernel of a program that must be run. Errors: `user`, with every kernel's reason.
Choice choose(const expr::TileProgram& program, const CallShape& shape, const Context& context);

}  // namespace tessera::kernels
