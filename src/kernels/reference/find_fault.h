#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kernels/kernel.h"

namespace tessera::kernels {

/// The name of the tensor that an operand of a program is.
using OperandName = std::function<std::string(size_t operand)>;

/// Says for which element a call has no value, and which numbers are to blame, after a kernel has
/// said that there is such an element: the interpreter looks for it, for a second at most. Nothing
/// where it finds none, or where a result lies on top of what the call reads. The outputs then hold
/// anything.
std::optional<std::string> find_fault(const expr::TileProgram& program, const KernelCall& call,
                                      const OperandName& name_of);

}  // namespace tessera::kernels
