#include "types/dtype.h"

#include <algorithm>
#include <array>

namespace tessera {

namespace {

enum class Family { boolean, signed_integer, unsigned_integer, floating, complex };

struct Traits {
  DType dtype;
  std::string_view name;
  std::string_view numpy;
  int64_t size;
  Family family;
};

constexpr std::array<Traits, 15> kTraits = {{
    {DType::b1, "b1", "bool", 1, Family::boolean},
    {DType::i8, "i8", "int8", 1, Family::signed_integer},
    {DType::i16, "i16", "int16", 2, Family::signed_integer},
    {DType::i32, "i32", "int32", 4, Family::signed_integer},
    {DType::i64, "i64", "int64", 8, Family::signed_integer},
    {DType::u8, "u8", "uint8", 1, Family::unsigned_integer},
    {DType::u16, "u16", "uint16", 2, Family::unsigned_integer},
    {DType::u32, "u32", "uint32", 4, Family::unsigned_integer},
    {DType::u64, "u64", "uint64", 8, Family::unsigned_integer},
    {DType::f16, "f16", "float16", 2, Family::floating},
    {DType::bf16, "bf16", "bfloat16", 2, Family::floating},
    {DType::f32, "f32", "float32", 4, Family::floating},
    {DType::f64, "f64", "float64", 8, Family::floating},
    {DType::c64, "c64", "complex64", 8, Family::complex},
    {DType::c128, "c128", "complex128", 16, Family::complex},
}};

const Traits& traits(DType dtype) {
  return kTraits[static_cast<size_t>(dtype)];
}

DType signed_of_size(int64_t size) {
  return size == 1 ? DType::i8 : size == 2 ? DType::i16 : size == 4 ? DType::i32 : DType::i64;
}

DType promote_integers(DType a, DType b) {
  if (traits(a).family == traits(b).family) {
    return size_of(a) >= size_of(b) ? a : b;
  }
  const DType with_sign = is_signed_integer(a) ? a : b;
  const DType without = is_signed_integer(a) ? b : a;
  if (size_of(with_sign) > size_of(without)) {
    return with_sign;
  }
  return size_of(without) == 8 ? DType::f64 : signed_of_size(2 * size_of(without));
}

DType promote_floats(DType a, DType b) {
  if (size_of(a) == 2 && size_of(b) == 2 && a != b) {
    return DType::f32;  // f16 and bf16: neither holds the other
  }
  return size_of(a) >= size_of(b) ? a : b;
}

}  // namespace

const std::vector<DType>& all_dtypes() {
  static const std::vector<DType> dtypes = [] {
    std::vector<DType> list;
    for (const Traits& entry : kTraits) {
      list.push_back(entry.dtype);
    }
    return list;
  }();
  return dtypes;
}

int64_t size_of(DType dtype) {
  return traits(dtype).size;
}
std::string_view name_of(DType dtype) {
  return traits(dtype).name;
}
std::string_view numpy_name(DType dtype) {
  return traits(dtype).numpy;
}

std::optional<DType> parse_dtype(std::string_view name) {
  const auto* found = std::find_if(kTraits.begin(), kTraits.end(), [&](const Traits& entry) {
    return entry.name == name || entry.numpy == name;
  });
  return found == kTraits.end() ? std::nullopt : std::optional(found->dtype);
}

bool is_bool(DType dtype) {
  return dtype == DType::b1;
}
bool is_signed_integer(DType dtype) {
  return traits(dtype).family == Family::signed_integer;
}
bool is_unsigned_integer(DType dtype) {
  return traits(dtype).family == Family::unsigned_integer;
}
bool is_integer(DType dtype) {
  return is_signed_integer(dtype) || is_unsigned_integer(dtype);
}
bool is_float(DType dtype) {
  return traits(dtype).family == Family::floating;
}
bool is_complex(DType dtype) {
  return traits(dtype).family == Family::complex;
}

DType float_of(DType dtype) {
  if (is_float(dtype) || is_complex(dtype)) {
    return dtype;
  }
  return size_of(dtype) == 1 ? DType::f16 : size_of(dtype) == 2 ? DType::f32 : DType::f64;
}

DType promote(DType a, DType b) {
  if (a == b || is_bool(b)) {
    return a;
  }
  if (is_bool(a)) {
    return b;
  }
  if (is_integer(a) && is_integer(b)) {
    return promote_integers(a, b);
  }
  if (is_complex(a) || is_complex(b)) {
    return size_of(complex_of(a)) >= size_of(complex_of(b)) ? complex_of(a) : complex_of(b);
  }
  // A float holds the integers whose float_of() has its size: 8 bits fit f16 and bf16.
  const auto as_float = [](DType dtype, DType other) {
    return is_float(dtype) ? dtype : size_of(dtype) == 1 ? other : float_of(dtype);
  };
  return promote_floats(as_float(a, b), as_float(b, a));
}

DType compute_type(DType dtype) {
  return dtype == DType::f16 || dtype == DType::bf16 ? DType::f32 : dtype;
}

DType real_of(DType dtype) {
  return dtype == DType::c64 ? DType::f32 : dtype == DType::c128 ? DType::f64 : dtype;
}

DType complex_of(DType dtype) {
  const bool fits_c64 = dtype == DType::c64 || (is_float(dtype) && dtype != DType::f64) ||
                        is_bool(dtype) || (is_integer(dtype) && size_of(dtype) <= 2);
  return fits_c64 ? DType::c64 : DType::c128;
}

}  // namespace tessera
