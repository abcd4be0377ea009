#pragma once

#include <atomic>
#include <span>

namespace tessera {

/// A function of an opened library, and its address once it is opened; null before.
struct OpenedFunction {
  const char* name;
  std::atomic<void*>* place;
};

/// Loads a library into this process. Returns null on failure; dlerror() tells why.
void* load_library(const char* name);

/// A library that is opened when one of its functions is first called: loading a large one takes
/// milliseconds, which most runs have no use for. Its functions are defined here by the names in
/// its headers, each as a jump to its address in the library (TESSERA_OPENED_FUNCTION), so callers
/// know nothing of it.
struct OpenedLibrary {
  const char* name;  // in the loader's terms: "libopenblas.so.0"
  std::span<const OpenedFunction> functions;
  void* (*load)(const char* name) = &load_library;  // called once, before any function
  std::atomic<bool> is_open = false;
};

/// Opens it, unless it is open; it stays open. Errors: `resource` if it is missing, or lacks some
/// of the functions. If a function is called before, errors come from there. Threads: any.
void open_library(OpenedLibrary& library);

}  // namespace tessera

/// Defines the function `name` of the OpenedLibrary `library`, both with C linkage. Arguments are
/// passed on in place: in registers, or on the stack.
#define TESSERA_OPENED_FUNCTION(library, name)                                           \
  extern "C" {                                                                           \
  __attribute__((visibility("hidden"), used)) std::atomic<void*> tessera_place_##name{}; \
  }                                                                                      \
  asm(".pushsection .text\n"                                                             \
      ".p2align 4\n"                                                                     \
      ".globl " #name                                                                    \
      "\n"                                                                               \
      ".hidden " #name                                                                   \
      "\n"                                                                               \
      ".type " #name ", @function\n" #name                                               \
      ":\n"                                                                              \
      ".cfi_startproc\n"                                                                 \
      "movq tessera_place_" #name                                                        \
      "(%rip), %r11\n"                                                                   \
      "testq %r11, %r11\n"                                                               \
      "je 1f\n"                                                                          \
      "jmp *%r11\n"                                                                      \
      "1:\n"                                                                             \
      "leaq tessera_place_" #name                                                        \
      "(%rip), %r11\n"                                                                   \
      "leaq " #library                                                                   \
      "(%rip), %r10\n"                                                                   \
      "jmp tessera_open_and_call\n"                                                      \
      ".cfi_endproc\n"                                                                   \
      ".size " #name ", .-" #name                                                        \
      "\n"                                                                               \
      ".popsection\n");
