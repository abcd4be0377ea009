#pragma once

#include <cstddef>

#include "types/dtype.h"
#include "types/literal.h"

namespace tessera::kernels {

/// One number of any compute type, for the interpreter; bytes beyond its type are undefined.
struct alignas(16) Element {
  std::byte bytes[16];
  friend bool operator==(const Element&, const Element&) = default;
};

/// Reads a stored element; f16 and bf16 become float.
void load_element(DType dtype, const std::byte* from, Element& to) noexcept;

/// Writes an element to its storage; float is rounded to f16 or bf16 if that is the dtype.
void store_element(DType dtype, const Element& from, std::byte* to) noexcept;

/// Returns the value of a constant node.
Element element_of(const Literal& literal, DType dtype);

}  // namespace tessera::kernels
