#include "kernels/registry.h"

#include "base/error.h"

namespace tessera::kernels {

void Registry::add(Kernel kernel) {
  TESSERA_CHECK(find(kernel.name) == nullptr, "two kernels are named {}", kernel.name);
  kernels_.push_back(std::move(kernel));
}

const Kernel* Registry::find(const std::string& name) const {
  for (const Kernel& kernel : kernels_) {
    if (kernel.name == name) {
      return &kernel;
    }
  }
  return nullptr;
}

}  // namespace tessera::kernels
