#pragma once

#include <memory>

#include <llvm/IR/Module.h>

#include "kernels/generated/interface.h"

namespace tessera::kernels::generated {

/// Makes a module with one function, kFunctionName of block_loop.h, that merges its results in the
/// layout of interface.h, with the lanes in registers. REQUIRES a request with a merge, of a result
/// that is a number.
std::unique_ptr<llvm::Module> merge_loop(const Request& request, llvm::LLVMContext& context);

}  // namespace tessera::kernels::generated
