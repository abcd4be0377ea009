#pragma once

#include <atomic>
#include <span>

namespace tessera {

/// A function of a library that is opened, and where it is once that has been done; null before.
struct OpenedFunction {
  const char* name;
  std::atomic<void*>* place;
};

/// Has the loader load a library for this process. Null where it cannot; dlerror() says why.
void* load_library(const char* name);

/// A library that is opened when one of its functions is first called: to load a large one takes a
/// process milliseconds, which most runs have no use for. Its functions are defined here by the
/// names that its headers declare, each as a jump to where the library has it
/// (TESSERA_OPENED_FUNCTION), so whoever calls them knows nothing of it.
struct OpenedLibrary {
  const char* name;  // as the loader finds it: "libopenblas.so.0"
  std::span<const OpenedFunction> functions;
  void* (*load)(const char* name) = &load_library;  // once, before any of them is called
  std::atomic<bool> is_open = false;
};

/// Opens it, unless that has been done; it stays open. Errors: `resource` where there is none, or
/// it has not all of the functions. Where a function is called before, errors come from there.
/// Threads: any.
void open_library(OpenedLibrary& library);

}  // namespace tessera

/// Defines the function `name` of the OpenedLibrary `library`, both as C has them. Arguments are
/// handed on where they lie: in registers, or on the stack.
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
