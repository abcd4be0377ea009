#pragma once

#include <cstdint>
#include <string>

#include "expr/function.h"
#include "kernels/kernel.h"
#include "machine/isa.h"
#include "types/literal.h"

namespace tessera::kernels {

/// Elements of a block, the unit of vectorised evaluation. Buffers of a block are always this long
/// and aligned to 64 bytes; functions run over whole vectors, so elements past `count` may be
/// computed but never fault.
constexpr int64_t kBlock = 1024;

/// Computes result[e] = f(arguments[0][e], ...) for e < count <= kBlock, on dense buffers of the
/// compute types (f16 and bf16 are passed as float). `result` may be one of the arguments with
/// elements of its size. Needs no alignment. If the status is not ok, the result is undefined.
using BlockFunction = Status (*)(const void* const* arguments, void* result,
                                 int64_t count) noexcept;

/// Returns the function's code for bound types on an instruction set, or null if the registry has
/// no such function.
BlockFunction find_block_function(const std::string& function, const expr::FunctionTypes& types,
                                  Isa isa);

/// True if the function takes many instructions for every element: a series, or one element by one.
bool takes_long(const std::string& function);

/// Returns x to the power y of real numbers, in blocks of such an exponent: a multiple of 1/2 other
/// than 2 and 3, which are products, up to 16. Takes x and y; null if the power needs a logarithm.
BlockFunction find_half_power(DType type, const Literal& exponent, Isa isa);

/// Returns the conversion between compute types by numpy's astype (float to integer truncates;
/// anything nonzero is true).
BlockFunction find_block_cast(DType from, DType to, Isa isa);

}  // namespace tessera::kernels
