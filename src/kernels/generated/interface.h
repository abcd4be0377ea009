#pragma once

#include <cstddef>
#include <cstdint>

/// The interface between the engine and the library that makes machine code: plain data and one C
/// function, so that the two need not be built together. The library is libtessera_codegen.so
/// (generated/llvm/).
namespace tessera::kernels::generated {

/// The version of this file and of the meaning of operations. Code of another version is made anew.
inline constexpr uint32_t kInterfaceVersion = 2;

/// The operation of a step on its arguments. Floats are rounded once, like by the processor;
/// integers wrap; on bools `bitwise_*` are the logical functions.
enum class Operation : uint8_t {
  argument,  // number `bits` of the function
  uniform,   // likewise, but its first element stands for all
  constant,  // `bits` in the lowest bytes
  cast,      // numpy's astype, of all but floats to integers
  add,
  subtract,
  multiply,
  divide,       // of floats
  negative,     // of floats: the other sign
  absolute,     // of floats and signed integers
  square_root,  // this and the next four of floats
  floor,
  ceil,
  trunc,
  round,    // to the nearest, of two the even one
  minimum,  // NaN if either is; of two zeros -0 if either is
  maximum,  // NaN if either is; of two zeros +0 if either is
  equal,    // these four make bools
  not_equal,
  less,
  less_equal,
  where,  // the second argument if the first, a bool, is true, else the third
  bitwise_and,
  bitwise_or,
  bitwise_xor
};

/// One value of a block function, made of earlier ones.
struct Step {
  Operation operation = Operation::argument;
  uint8_t type = 0;  // a DType: bool, an integer, f32 or f64
  uint16_t reserved = 0;
  int32_t arguments[3] = {-1, -1, -1};
  uint64_t bits = 0;
};
static_assert(sizeof(Step) == 24);

/// The layout of a merging function, which merges its `count` elements, any number of them, instead
/// of storing each. For every kMergedBlock elements it stores one: element e is merged into lane e
/// mod kMergedLanes, first to last; then the lanes are halved, lane l merging lane l + half, until
/// one is left. For the rest it stores the lanes of the whole multiples of kMergedLanes elements,
/// if there are any, and then each remaining element.
inline constexpr int64_t kMergedBlock = 1024;
inline constexpr int64_t kMergedLanes = 64;

/// A requested function. Its result is the last step.
struct Request {
  uint32_t version = kInterfaceVersion;
  uint32_t isa = 0;  // an Isa
  const Step* steps = nullptr;
  int64_t num_steps = 0;
  /// The merge of elements: add, multiply, minimum or maximum; `argument` if each is stored.
  Operation merge = Operation::argument;
};

/// The answer of the library: one of two calls, with `receiver` as their first argument.
struct Answer {
  void* receiver = nullptr;
  /// Receives machine code that runs at any address that is a multiple of 64, its constants beside
  /// it, and the byte where the function begins, a BlockFunction.
  void (*code)(void* receiver, const std::byte* image, size_t size, size_t entry) = nullptr;
  /// Receives the reason that there is none.
  void (*refusal)(void* receiver, const char* reason) = nullptr;
};

/// The function of the library, and its name.
using GenerateFunction = void (*)(const Request* request, const Answer* answer);
inline constexpr const char* kGenerateFunctionName = "tessera_generate";

}  // namespace tessera::kernels::generated
