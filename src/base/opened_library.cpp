#include "base/opened_library.h"

#include <mutex>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "base/error.h"

namespace tessera {

namespace {

std::string reason_of_loader() {
  const char* const reason = ::dlerror();  // NOLINT(concurrency-mt-unsafe): one for each thread
  return reason == nullptr ? "no reason given" : reason;
}

}  // namespace

void* load_library(const char* name) {
  return ::dlopen(name, RTLD_LAZY | RTLD_LOCAL);
}

void open_library(OpenedLibrary& library) {
  static std::mutex mutex;
  if (library.is_open.load(std::memory_order_acquire)) {
    return;
  }
  const std::lock_guard lock(mutex);
  if (library.is_open.load(std::memory_order_relaxed)) {
    return;
  }
  void* const opened = library.load(library.name);
  if (opened == nullptr) {
    throw_error(ErrorKind::resource, "cannot load {}: {}", library.name, reason_of_loader());
  }
  std::vector<void*> places;
  for (const OpenedFunction& function : library.functions) {
    void* const place = ::dlsym(opened, function.name);
    if (place == nullptr) {
      throw_error(ErrorKind::resource, "{} has no function {}", library.name, function.name);
    }
    places.push_back(place);
  }
  for (size_t number = 0; number < places.size(); ++number) {
    library.functions[number].place->store(places[number], std::memory_order_release);
  }
  library.is_open.store(true, std::memory_order_release);
}

}  // namespace tessera

// The target of the first call of a function, a symbol that assembler can name.
extern "C" __attribute__((visibility("hidden"), used)) void tessera_open_library(
    tessera::OpenedLibrary* library) {
  tessera::open_library(*library);
}

// %r10 is the library, %r11 the place of the function. All registers that may hold an argument are
// kept while the library is opened: the integers' registers, %rax (the number of vectors of a call
// with `...`) and the vectors'. Unwinding information is included, because opening may throw.
asm(R"(
.pushsection .text
.globl tessera_open_and_call
.hidden tessera_open_and_call
.type tessera_open_and_call, @function
tessera_open_and_call:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  pushq %rax
  pushq %r11
  subq $128, %rsp
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  movq %r10, %rdi
  call tessera_open_library
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  addq $128, %rsp
  popq %r11
  popq %rax
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  popq %rbp
  .cfi_def_cfa %rsp, 8
  jmp *(%r11)
  .cfi_endproc
  .size tessera_open_and_call, .-tessera_open_and_call
.popsection
)");
