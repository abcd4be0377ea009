#pragma once

#include <cstddef>
#include <vector>

namespace tessera::kernels::generated {

/// Machine code with its constants beside it, which runs at any address that is a multiple of 64.
struct Image {
  std::vector<std::byte> bytes;
  size_t entry = 0;  // the byte where the function begins
};

}  // namespace tessera::kernels::generated
