#include "kernels/opened/openblas.h"

#include <cstdlib>
#include <string_view>

#include <dlfcn.h>

#include "base/opened_library.h"
#include "machine/isa.h"

// Every function of OpenBLAS that is called anywhere, the last two by bench/ alone. It may be of
// one dtype, `s`, or of all four.
#define TESSERA_OPENBLAS(DO) \
  DO(cblas_sgemm)            \
  DO(cblas_dgemm)            \
  DO(cblas_cgemm)            \
  DO(cblas_zgemm)            \
  DO(cblas_sgemv)            \
  DO(cblas_dgemv)            \
  DO(cblas_cgemv)            \
  DO(cblas_zgemv)            \
  DO(cblas_sdot)             \
  DO(cblas_ddot)             \
  DO(cblas_cdotu_sub)        \
  DO(cblas_zdotu_sub)        \
  DO(sgetrf_)                \
  DO(dgetrf_)                \
  DO(cgetrf_)                \
  DO(zgetrf_)                \
  DO(sgetrs_)                \
  DO(dgetrs_)                \
  DO(cgetrs_)                \
  DO(zgetrs_)                \
  DO(sgetri_)                \
  DO(dgetri_)                \
  DO(cgetri_)                \
  DO(zgetri_)                \
  DO(spotrf_)                \
  DO(dpotrf_)                \
  DO(cpotrf_)                \
  DO(zpotrf_)                \
  DO(cblas_strmm)            \
  DO(openblas_set_num_threads)

#define TESSERA_DEFINE(name) TESSERA_OPENED_FUNCTION(tessera_openblas, name)
#define TESSERA_LIST(name) tessera::OpenedFunction{#name, &tessera_place_##name},

TESSERA_OPENBLAS(TESSERA_DEFINE)

namespace tessera::kernels {

namespace {

constexpr OpenedFunction kFunctions[] = {TESSERA_OPENBLAS(TESSERA_LIST)};

constexpr const char* kCoreWanted = "OPENBLAS_CORETYPE";

template <class Function>
Function* function_of(void* library, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

/// The kernels that it takes where it does not know this processor, which has better ones: those of
/// processors without AVX. Null where it took others.
const char* core_wanted(void* library) {
  const auto core = function_of<char*()>(library, "openblas_get_corename");
  if (core == nullptr || std::string_view(core()) != "Prescott") {
    return nullptr;
  }
  switch (widest_isa()) {
    case Isa::scalar:
      return nullptr;
    case Isa::avx2:
      return "Haswell";
    case Isa::avx512:
      return "SkylakeX";
  }
  return nullptr;
}

/// 0.3.21 knows no server processor of Intel from 2023 on, and takes kernels for it that reach a
/// fifth of what others do (f64: 15 instead of 70 GF/s, measured). It looks at a variable when it
/// is loaded; who has set that has his way, and one that somebody else has loaded too stays as it
/// is. Runs are prepared by one thread, so no other asks for a variable meanwhile.
// NOLINTBEGIN(concurrency-mt-unsafe)
void* load_with_kernels_for_this_machine(const char* name) {
  void* const library = load_library(name);
  const char* const core =
      library == nullptr || std::getenv(kCoreWanted) != nullptr ? nullptr : core_wanted(library);
  if (core == nullptr) {
    return library;
  }
  ::dlclose(library);
  ::setenv(kCoreWanted, core, 1);
  void* const again = load_library(name);
  ::unsetenv(kCoreWanted);
  return again;
}
// NOLINTEND(concurrency-mt-unsafe)

void* load_openblas(const char* name) {
  void* const library = load_with_kernels_for_this_machine(name);
  if (library == nullptr) {
    return nullptr;
  }
  if (const auto set_threads = function_of<void(int)>(library, "openblas_set_num_threads")) {
    set_threads(1);
  }
  // A build without threads has none.
  if (const auto end_threads = function_of<int()>(library, "blas_thread_shutdown_")) {
    end_threads();
  }
  return library;
}

}  // namespace

}  // namespace tessera::kernels

extern "C" __attribute__((visibility("hidden"))) tessera::OpenedLibrary tessera_openblas;
tessera::OpenedLibrary tessera_openblas{TESSERA_OPENBLAS_NAME, tessera::kernels::kFunctions,
                                        &tessera::kernels::load_openblas};

namespace tessera::kernels {

void open_openblas() {
  open_library(tessera_openblas);
}

}  // namespace tessera::kernels
