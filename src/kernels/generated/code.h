#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "kernels/block_function.h"

namespace tessera::kernels::generated {

/// Machine code in memory that can be run but not written. Threads: run by any number.
class Code {
  struct Private {};

 public:
  /// Copies an image (interface.h). Null if the system gives no such memory, or the function would
  /// not begin within the image.
  static std::shared_ptr<const Code> load(std::span<const std::byte> image, size_t entry);

  Code(Private, void* memory, size_t size) : memory_(memory), size_(size) {}
  ~Code();
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  /// Valid as long as the code lives.
  BlockFunction function() const { return function_; }

 private:
  void* memory_;
  size_t size_;
  BlockFunction function_ = nullptr;
};

}  // namespace tessera::kernels::generated
