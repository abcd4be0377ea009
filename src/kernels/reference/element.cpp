#include "kernels/reference/element.h"

#include <cstring>

#include "types/native.h"

namespace tessera::kernels {

void load_element(DType dtype, const std::byte* from, Element& to) noexcept {
  if (compute_type(dtype) == dtype) {
    std::memcpy(to.bytes, from, static_cast<size_t>(size_of(dtype)));
    return;
  }
  uint16_t bits = 0;
  std::memcpy(&bits, from, sizeof(bits));
  const float value = dtype == DType::f16 ? float_from_f16_bits(bits) : float_from_bf16_bits(bits);
  std::memcpy(to.bytes, &value, sizeof(value));
}

void store_element(DType dtype, const Element& from, std::byte* to) noexcept {
  if (compute_type(dtype) == dtype) {
    std::memcpy(to, from.bytes, static_cast<size_t>(size_of(dtype)));
    return;
  }
  float value = 0;
  std::memcpy(&value, from.bytes, sizeof(value));
  const uint16_t bits =
      dtype == DType::f16 ? f16_bits_from_float(value) : bf16_bits_from_float(value);
  std::memcpy(to, &bits, sizeof(bits));
}

Element element_of(const Literal& literal, DType dtype) {
  Element element{};
  visit_compute_type(dtype, [&](auto type) {
    const auto value = literal_as<typename decltype(type)::type>(literal);
    std::memcpy(element.bytes, &value, sizeof(value));
  });
  return element;
}

}  // namespace tessera::kernels
