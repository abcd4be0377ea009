#pragma once

#include <memory>
#include <optional>
#include <string>

#include "store/memory_tensor.h"

namespace tessera::plans {

using Tensor = std::shared_ptr<store::MemoryTensor>;

/// A tensor whose elements follow a rule; n is an element's row-major position:
///   small        drawn from -2..2 (unsigned: 0..2, b1: 0..1), by the tensor's name and n alone
///   iota         n               mod 7       n mod 7        const 3     3
///   list 1 2 -3  those, in order, again and again
/// Sums and products of such numbers are exact. Errors: `user` for another rule.
Tensor tensor_by_rule(const ArrayType& type, const std::string& rule, const std::string& name);

/// "f64[2,3] = 1 2 3; 4 5 6": rows of the last mode. Errors: `user` for more than 128 elements.
std::string value_text(const store::MemoryTensor& tensor);

/// Where two tensors differ, in words; nothing where they are equal: bit for bit, but any NaN
/// equals any NaN and 0 equals -0, or within the tolerance relative to the larger of both and of 1.
std::optional<std::string> difference(const store::MemoryTensor& wanted,
                                      const store::MemoryTensor& seen, double tolerance);

}  // namespace tessera::plans
