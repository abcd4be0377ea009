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

/// result[e] = f(arguments[0][e], ...) for e < count <= kBlock, on dense buffers of the compute
/// types (f16 and bf16 are passed as float). `result` may be one of the arguments whose elements
/// are as large as its own. No alignment is asked for. Where the status is not ok, the result means
/// nothing.
using BlockFunction = Status (*)(const void* const* arguments, void* result,
                                 int64_t count) noexcept;

/// The function's code for bound types on an instruction set, or null where the registry has no
/// such function.
BlockFunction find_block_function(const std::string& function, const expr::FunctionTypes& types,
                                  Isa isa);

/// Whether that takes many instructions for every element: a series, or one element by one.
bool takes_long(const std::string& function);

/// x to the power y of real numbers, in blocks of such an exponent: a multiple of 1/2 other than 2
/// and 3, which are products, up to 16. Takes x and y; null where a power takes a logarithm.
BlockFunction find_half_power(DType type, const Literal& exponent, Isa isa);

/// Converts between compute types as numpy's astype does (float to integer truncates; anything
/// nonzero is true).
BlockFunction find_block_cast(DType from, DType to, Isa isa);

}  // namespace tessera::kernels
