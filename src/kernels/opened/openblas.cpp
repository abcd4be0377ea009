#include "kernels/opened/openblas.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>

#include "base/address_space.h"
#include "base/byte_size.h"
#include "base/error.h"
#include "base/opened_library.h"
#include "machine/isa.h"

// Every function of OpenBLAS that is called anywhere, the last two only by bench/. It may be of one
// dtype, `s`, or of all four.
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
constexpr const char* kThreadsWanted = "OPENBLAS_NUM_THREADS";

/// Address space of one buffer, and of its bookkeeping (0.3.21: memory.c, BUFFER_SIZE).
constexpr int64_t kBufferBytes = (int64_t{128} << 20) + (int64_t{64} << 10);

/// The most threads that it makes room for.
constexpr int32_t kMostBuffers = 128;

template <class Function>
Function* function_of(void* library, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

/// Returns the kernels to load instead, if it does not know this processor and took those of
/// processors without AVX; null otherwise.
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

/// Sets a variable of the environment for its own lifetime. Runs are prepared by one thread, so no
/// other reads the variable meanwhile.
// NOLINTBEGIN(concurrency-mt-unsafe)
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) {
      before_ = before;
    }
    ::setenv(name, value, 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// Loads the library. Version 0.3.21 knows no server processor of Intel from 2023 on, and takes
/// kernels for it that reach a fifth of the right ones (f64: 15 instead of 70 GF/s, measured). It
/// reads a variable when it is loaded. A user's own setting of that is respected, and a library
/// that others have loaded too stays as it is.
void* load_with_kernels_for_this_machine(const char* name) {
  void* const library = load_library(name);
  const char* const core =
      library == nullptr || std::getenv(kCoreWanted) != nullptr ? nullptr : core_wanted(library);
  if (core == nullptr) {
    return library;
  }
  ::dlclose(library);
  const Variable wanted(kCoreWanted, core);
  return load_library(name);
}
// NOLINTEND(concurrency-mt-unsafe)

void* load_openblas(const char* name) {
  // Each thread that it starts when it is loaded maps a buffer, and retries for ever if it gets
  // none.
  std::optional<Variable> one;
  if (has_bounded_address_space()) {
    one.emplace(kThreadsWanted, "1");
  }
  void* const library = load_with_kernels_for_this_machine(name);
  if (library == nullptr) {
    return nullptr;
  }
  if (const auto set_threads = function_of<void(int)>(library, "openblas_set_num_threads")) {
    set_threads(1);
  }
  // A build without threads has none; another owner may have started some.
  if (const auto end_threads = function_of<int()>(library, "blas_thread_shutdown_")) {
    end_threads();
  }
  return library;
}

/// Makes the library map `count` buffers, which it keeps: one is mapped when it is taken while all
/// others are.
void map_buffers(const char* name, int32_t count) {
  void* const library = load_library(name);
  const auto take = function_of<void*(int)>(library, "blas_memory_alloc");
  const auto give_back = function_of<void(void*)>(library, "blas_memory_free");
  if (take == nullptr || give_back == nullptr) {
    return;  // a build that hides these functions maps a buffer at its first call
  }
  std::vector<void*> taken;
  for (int32_t number = 0; number < count; ++number) {
    taken.push_back(take(1));
  }
  std::for_each(taken.begin(), taken.end(), give_back);
}

}  // namespace

}  // namespace tessera::kernels

extern "C" __attribute__((visibility("hidden"))) tessera::OpenedLibrary tessera_openblas;
tessera::OpenedLibrary tessera_openblas{TESSERA_OPENBLAS_NAME, tessera::kernels::kFunctions,
                                        &tessera::kernels::load_openblas};

namespace tessera::kernels {

void open_openblas(int32_t threads) {
  open_library(tessera_openblas);
  static std::mutex mutex;
  static int32_t num_mapped = 0;
  const std::lock_guard lock(mutex);
  const int32_t wanted = std::min(threads, kMostBuffers);
  const int64_t bytes = (wanted - num_mapped) * kBufferBytes;
  if (bytes <= 0) {
    return;
  }
  if (!may_map(bytes)) {
    throw_error(ErrorKind::resource,
                "OpenBLAS, which multiplies and inverts matrices, needs {} of address space for "
                "each of {} workers, {} more than the process may have now: raise that limit "
                "(`ulimit -v`), or run with fewer workers",
                byte_size_text(kBufferBytes), wanted, byte_size_text(bytes));
  }
  if (has_bounded_address_space()) {  // else nothing else takes the address space before they
                                      // are mapped
    map_buffers(tessera_openblas.name, wanted);
  }
  num_mapped = wanted;
}

}  // namespace tessera::kernels
