#include "kernels/opened/openblas.h"

#include <cstdlib>

#include <dlfcn.h>
#include <gmock/gmock.h>

#include "machine/isa.h"

namespace tessera::kernels {
namespace {

TEST(OpenBlas, TakesKernelsForTheInstructionsOfThisMachine) {
  open_openblas();
  void* const library = ::dlopen("libopenblas.so.0", RTLD_NOLOAD | RTLD_LAZY);
  ASSERT_NE(library, nullptr);
  const auto core = reinterpret_cast<char* (*)()>(::dlsym(library, "openblas_get_corename"));
  ASSERT_NE(core, nullptr);
  if (widest_isa() != Isa::scalar) {
    EXPECT_STRNE(core(), "Prescott");
  }
  // What is started later is told nothing.
  EXPECT_EQ(std::getenv("OPENBLAS_CORETYPE"), nullptr);  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace
}  // namespace tessera::kernels
