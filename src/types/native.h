#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "types/dtype.h"
#include "types/half.h"

namespace tessera {

/// Calls `body(std::type_identity<T>{})` with the C++ type that stores the dtype: bool, int8_t,
/// ..., Float16, BFloat16, float, double, std::complex<float>, std::complex<double>.
template <class Body>
decltype(auto) visit_storage_type(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::b1:
      return body(std::type_identity<bool>{});
    case DType::i8:
      return body(std::type_identity<int8_t>{});
    case DType::i16:
      return body(std::type_identity<int16_t>{});
    case DType::i32:
      return body(std::type_identity<int32_t>{});
    case DType::i64:
      return body(std::type_identity<int64_t>{});
    case DType::u8:
      return body(std::type_identity<uint8_t>{});
    case DType::u16:
      return body(std::type_identity<uint16_t>{});
    case DType::u32:
      return body(std::type_identity<uint32_t>{});
    case DType::u64:
      return body(std::type_identity<uint64_t>{});
    case DType::f16:
      return body(std::type_identity<Float16>{});
    case DType::bf16:
      return body(std::type_identity<BFloat16>{});
    case DType::f32:
      return body(std::type_identity<float>{});
    case DType::f64:
      return body(std::type_identity<double>{});
    case DType::c64:
      return body(std::type_identity<std::complex<float>>{});
    case DType::c128:
      return body(std::type_identity<std::complex<double>>{});
  }
  throw_error(ErrorKind::internal, "no such dtype: {}", static_cast<int>(dtype));
}

/// Visits like visit_storage_type, with the C++ type that computes the dtype: f16 and bf16 are
/// visited as float.
template <class Body>
decltype(auto) visit_compute_type(DType dtype, Body&& body) {
  return visit_storage_type(
      compute_type(dtype), [&]<class T>(std::type_identity<T>) -> decltype(auto) {
        constexpr bool kNarrow = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
        return body(std::type_identity<std::conditional_t<kNarrow, float, T>>{});
      });
}

}  // namespace tessera
