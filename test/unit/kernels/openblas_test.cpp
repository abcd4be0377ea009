#include "kernels/opened/openblas.h"

#include <cstdlib>

#include <dlfcn.h>
#include <gmock/gmock.h>

#include "machine/isa.h"

namespace tessera::kernels::openblas_test {
namespace {

TEST(OpenBlas, TakesKernelsForTheInstructionsOfThisMachine) {
  const auto wanted = [] {
    return std::getenv("OPENBLAS_CORETYPE");  // NOLINT(concurrency-mt-unsafe)
  };
  if (wanted() != nullptr) {
    GTEST_SKIP() << "OPENBLAS_CORETYPE says which it takes";
  }
  open_openblas(1);
  void* const library = ::dlopen("libopenblas.so.0", RTLD_NOLOAD | RTLD_LAZY);
  ASSERT_NE(library, nullptr);
  const auto core = reinterpret_cast<char* (*)()>(::dlsym(library, "openblas_get_corename"));
  ASSERT_NE(core, nullptr);
  if (widest_isa() != Isa::scalar) {
    EXPECT_STRNE(core(), "Prescott");
  }
  EXPECT_EQ(wanted(), nullptr) << "what is started later is told";
}

}  // namespace
}  // namespace tessera::kernels::openblas_test
