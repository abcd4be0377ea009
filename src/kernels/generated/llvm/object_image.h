#pragma once

#include <string>

#include <llvm/Support/MemoryBuffer.h>

#include "base/refusal.h"
#include "kernels/generated/image.h"

namespace tessera::kernels::generated {

/// Lays the sections of an x86-64 ELF object out in one image, with their mutual references
/// resolved. Refuses an object that needs anything from outside.
OrRefusal<Image> image_of(llvm::MemoryBufferRef object, const std::string& function);

}  // namespace tessera::kernels::generated
