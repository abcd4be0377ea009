#include "kernels/generated/code.h"

#include <cstring>

#include <sys/mman.h>

namespace tessera::kernels::generated {

std::shared_ptr<const Code> Code::load(std::span<const std::byte> image, size_t entry) {
  if (entry >= image.size()) {
    return nullptr;
  }
  void* const memory =
      ::mmap(nullptr, image.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return nullptr;
  }
  auto code = std::make_shared<Code>(Private(), memory, image.size());
  std::memcpy(memory, image.data(), image.size());
  if (::mprotect(memory, image.size(), PROT_READ | PROT_EXEC) != 0) {
    return nullptr;
  }
  code->function_ = reinterpret_cast<BlockFunction>(static_cast<std::byte*>(memory) + entry);
  return code;
}

Code::~Code() {
  ::munmap(memory_, size_);
}

}  // namespace tessera::kernels::generated
