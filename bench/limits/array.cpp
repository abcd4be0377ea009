#include "array.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

#include <sys/mman.h>

#include "base/error.h"

namespace tessera::bench {

namespace {

constexpr size_t kHugePage = size_t{2} << 20;

size_t bytes_of(const ArrayType& type) {
  const auto bytes = static_cast<size_t>(size_in_bytes(type));
  return (std::max(bytes, size_t{1}) + kHugePage - 1) / kHugePage * kHugePage;
}

std::byte* pages(size_t bytes) {
  auto* const begin = static_cast<std::byte*>(std::aligned_alloc(kHugePage, bytes));
  if (begin == nullptr) {
    throw std::bad_alloc();
  }
  ::madvise(begin, bytes, MADV_HUGEPAGE);
  std::memset(begin, 0, bytes);
  return begin;
}

/// Calls `function` with a value of the element type.
template <class Function>
auto with_element(DType dtype, Function function) {
  switch (dtype) {
    case DType::i8:
      return function(int8_t{});
    case DType::u8:
      return function(uint8_t{});
    case DType::i32:
      return function(int32_t{});
    case DType::i64:
      return function(int64_t{});
    case DType::f32:
      return function(float{});
    case DType::f64:
      return function(double{});
    case DType::c64:
      return function(std::complex<float>{});
    case DType::c128:
      return function(std::complex<double>{});
    default:
      throw_error(ErrorKind::unsupported, "the bench has no arrays of {}", name_of(dtype));
  }
}

template <class T>
std::complex<double> as_complex(T value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<double>(value);
  } else {
    return {static_cast<double>(value.real()), static_cast<double>(value.imag())};
  }
}

template <class T>
double difference(T a, T b) {
  const std::complex<double> one = as_complex(a);
  const std::complex<double> other = as_complex(b);
  const bool both_nan = std::isnan(std::abs(one)) && std::isnan(std::abs(other));
  return both_nan || one == other ? 0 : std::abs(one - other) / std::max(1.0, std::abs(other));
}

}  // namespace

void Array::Free::operator()(std::byte* begin) const {
  std::free(begin);
}

Array::Array(const ArrayType& type) : type_(type), bytes_(pages(bytes_of(type))) {}

void fill(const Array& array, int64_t low, int64_t high) {
  with_element(array.type().dtype, [&](auto element) {
    using T = decltype(element);
    uint64_t state = 1;
    for (size_t at = 0; at < array.size(); ++at) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const auto number =
          static_cast<int64_t>((state >> 33U) % static_cast<uint64_t>(high - low + 1));
      if constexpr (std::is_arithmetic_v<T>) {
        array.as<T>()[at] = static_cast<T>(low + number);
      } else {
        array.as<T>()[at] = static_cast<typename T::value_type>(low + number);
      }
    }
  });
}

double largest_difference(const Array& a, const Array& b) {
  TESSERA_CHECK(a.type() == b.type(), "{} beside {}", to_string(a.type()), to_string(b.type()));
  return with_element(a.type().dtype, [&](auto element) {
    using T = decltype(element);
    double largest = 0;
    for (size_t at = 0; at < a.size(); ++at) {
      const double one = difference(a.as<T>()[at], b.as<T>()[at]);
      largest = one <= largest ? largest : one;  // a NaN is the largest
    }
    return largest;
  });
}

}  // namespace tessera::bench
