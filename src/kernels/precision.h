#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "machine/machine.h"

namespace tessera::kernels {

/// The precision of a sum of f32 products. With bf16 every factor is split into one, two or three
/// parts of 8 bits, whose products are exact in f32: 1, 3 or 6 products of parts for one of f32, as
/// in the name.
///
/// The largest errors beyond that of f32 (n u P for n products, with P = sum |a
/// b| and u = 2^-24) are: bf16x6 2^-24 P, bf16x3 2^-15 P, bf16 2^-7 P. They are mostly far smaller:
/// gemm_bf16_kernel_test.cpp measures them.
enum class Precision : uint8_t { f32, bf16x6, bf16x3, bf16 };

/// Returns the name of a precision: "f32", "bf16x6".
std::string_view name_of(Precision precision);

/// Returns the precision of a name.
std::optional<Precision> precision_named(std::string_view name);

/// Returns the parts that every factor is taken as; 0 for f32.
int64_t num_parts(Precision precision);

/// Returns why a machine's products of f32 are no slower than those of parts, in words; nothing if
/// these pay, or if f32 is asked for.
std::optional<std::string> why_f32(Precision precision, const Machine& machine);

}  // namespace tessera::kernels
