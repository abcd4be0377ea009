#pragma once

#include <vector>

#include "kernels/context.h"
#include "kernels/kernel.h"

namespace tessera::kernels {

/// What a kernel says of a program: how it would run it, or why it does not.
struct Offer {
  const Kernel* kernel = nullptr;
  OrRefusal<KernelPlan> plan;
};

/// Of every kernel of the context, in the order of registration.
std::vector<Offer> offers_for(const expr::TileProgram& program, const CallShape& shape,
                              const Context& context);

/// The kernel that runs a program, and how.
struct Choice {
  const Kernel* kernel = nullptr;
  KernelPlan plan;
};

/// The cheapest kernel of the context that can run the program, its last_kernel only where there is
/// no other; a refusal with every kernel's reason where none can.
OrRefusal<Choice> cheapest(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context);

/// The same where a program must be run. Errors: `user`, with every kernel's reason.
Choice choose(const expr::TileProgram& program, const CallShape& shape, const Context& context);

}  // namespace tessera::kernels
