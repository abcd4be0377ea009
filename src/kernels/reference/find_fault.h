#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kernels/kernel.h"

namespace tessera::kernels {

/// Returns the name of the tensor of a program's operand.
using OperandName = std::function<std::string(size_t operand)>;

/// Names the element for which a call has no value, and the numbers to blame, after a kernel has
/// reported such an element. The interpreter searches for a second at most. Nothing if it finds
/// none, or if a result shares memory with an operand. The outputs are undefined afterwards.
std::optional<std::string> find_fault(const expr::TileProgram& program, const KernelCall& call,
                                      const OperandName& name_of);

}  // namespace tessera::kernels
