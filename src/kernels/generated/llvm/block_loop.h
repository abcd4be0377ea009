#pragma once

#include <memory>

#include <llvm/IR/Module.h>

#include "kernels/generated/interface.h"

namespace tessera::kernels::generated {

/// The name of the function in its module.
inline constexpr const char* kFunctionName = "block_function";

/// Makes a module with one function, a BlockFunction: a loop over whole vectors, with as many
/// elements at once as the widest of its arguments and its result has in 64 bytes. REQUIRES steps
/// after their arguments, of types that their operations take.
std::unique_ptr<llvm::Module> block_loop(const Request& request, llvm::LLVMContext& context);

}  // namespace tessera::kernels::generated
