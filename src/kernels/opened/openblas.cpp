#include "kernels/opened/openblas.h"

#include <dlfcn.h>

#include "base/opened_library.h"

// Every function of OpenBLAS that is called anywhere. It may be of one dtype, `s`, or of all four.
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
  DO(zpotrf_)

#define TESSERA_DEFINE(name) TESSERA_OPENED_FUNCTION(tessera_openblas, name)
#define TESSERA_LIST(name) tessera::OpenedFunction{#name, &tessera_place_##name},

TESSERA_OPENBLAS(TESSERA_DEFINE)

namespace tessera::kernels {

namespace {

constexpr OpenedFunction kFunctions[] = {TESSERA_OPENBLAS(TESSERA_LIST)};

void use_one_thread(void* library) {
  const auto set_threads =
      reinterpret_cast<void (*)(int)>(::dlsym(library, "openblas_set_num_threads"));
  const auto end_threads = reinterpret_cast<int (*)()>(::dlsym(library, "blas_thread_shutdown_"));
  if (set_threads != nullptr) {
    set_threads(1);
  }
  if (end_threads != nullptr) {  // a build without threads has none
    end_threads();
  }
}

}  // namespace

}  // namespace tessera::kernels

extern "C" __attribute__((visibility("hidden"))) tessera::OpenedLibrary tessera_openblas;
tessera::OpenedLibrary tessera_openblas{TESSERA_OPENBLAS_NAME, tessera::kernels::kFunctions,
                                        &tessera::kernels::use_one_thread};

namespace tessera::kernels {

void open_openblas() {
  open_library(tessera_openblas);
}

}  // namespace tessera::kernels
