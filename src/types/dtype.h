#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// The element types: numpy's bool, integer, float and complex families, and bf16.
/// c64 is two f32 (numpy's complex64), c128 two f64.
enum class DType : uint8_t {
  b1,
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  f16,
  bf16,
  f32,
  f64,
  c64,
  c128
};

/// Every dtype, in the order of the enum.
const std::vector<DType>& all_dtypes();

int64_t size_of(DType dtype);              // bytes of one element
std::string_view name_of(DType dtype);     // "f32"
std::string_view numpy_name(DType dtype);  // "float32"; "bfloat16" for bf16

/// Reads our name or numpy's: "f32", "float32", "bool".
std::optional<DType> parse_dtype(std::string_view name);

bool is_bool(DType dtype);
bool is_signed_integer(DType dtype);
bool is_unsigned_integer(DType dtype);
bool is_integer(DType dtype);  // signed or unsigned; not bool
bool is_float(DType dtype);    // f16, bf16, f32, f64
bool is_complex(DType dtype);

/// Returns the type of `a op b` for two arrays, by numpy's table (i64 with u64 is f64; f16 with i16
/// is f32). bf16 is f16's peer: with any integer up to 8 bits it stays bf16; bf16 with f16 is f32.
DType promote(DType a, DType b);

/// Returns the type that arithmetic on `dtype` is done in: f32 for f16 and bf16, which are narrow
/// only in storage; else itself.
DType compute_type(DType dtype);

/// Returns the float that an integer or bool becomes if a function needs a float (`/`, exp, ...),
/// by numpy's rule for array operands: i8, u8, b1 -> f16; i16, u16 -> f32; wider -> f64. Floats and
/// complex stay.
DType float_of(DType dtype);

/// Returns the type of the parts of a complex number (c64 -> f32); other types are their own real
/// type.
DType real_of(DType dtype);

/// Returns the complex type whose parts hold a value of this type (f32 -> c64; f64, i32 -> c128).
DType complex_of(DType dtype);

}  // namespace tessera
