#pragma once

#include <mutex>
#include <optional>

#include "kernels/generated/formula.h"
#include "kernels/generated/image.h"
#include "kernels/generated/interface.h"
#include "machine/isa.h"

namespace tessera::kernels::generated {

/// The library that makes machine code, opened when it is first needed. It is built if LLVM is
/// installed; without it nothing is generated. Threads: any number.
class Plugin {
 public:
  /// True if this program was built with the library.
  static bool is_built();

  /// True if it can be opened, and has the address space that it needs.
  bool is_there();

  /// Returns code of a formula, or none if the library is missing or makes none.
  std::optional<Image> generate(const Formula& formula, Isa isa);

 private:
  std::once_flag opened_;
  GenerateFunction function_ = nullptr;
};

}  // namespace tessera::kernels::generated
