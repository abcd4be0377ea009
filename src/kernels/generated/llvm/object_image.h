#pragma once

#include <string>

#include <llvm/Support/MemoryBuffer.h>

#include "base/refusal.h"
#include "kernels/generated/image.h"

namespace tessera::kernels::generated {

/// The sections of an x86-64 ELF object one after the other, with what they say of each other's
/// places resolved. Refuses an object that needs anything from outside.
OrRefusal<Image> image_of(llvm::MemoryBufferRef object, const std::string& function);

}  // namespace tessera::kernels::generated
