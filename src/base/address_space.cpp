#include "base/address_space.h"

#include <cstddef>

#include <sys/mman.h>
#include <sys/resource.h>

namespace tessera {

bool has_bounded_address_space() {
  rlimit bound{};
  return ::getrlimit(RLIMIT_AS, &bound) == 0 && bound.rlim_cur != RLIM_INFINITY;
}

bool may_map(int64_t bytes) {
  void* const probe = ::mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED) {
    return false;
  }
  ::munmap(probe, static_cast<size_t>(bytes));
  return true;
}

}  // namespace tessera
