#pragma once

#include <string_view>

#include "types/dtype.h"
#include "types/literal.h"

namespace tessera::frontend {

// Rules for f16 and bf16, which are computed in f32 and rounded after each operation.

/// True for f16 and bf16.
bool is_half(DType dtype);

/// True if a function gives one of its arguments, or a number that f16 and bf16 hold if they hold
/// the arguments.
bool is_exact_in_halves(std::string_view function);

/// True if a function makes the terms of a sum, which are not rounded one by one.
bool is_term(std::string_view function);

/// Returns a number as an element of f16 or bf16: unchanged if they hold it.
Literal rounded_literal(const Literal& number, DType dtype);

}  // namespace tessera::frontend
