#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

/// Instruction sets that the element functions are compiled for, each a superset of those before
/// it. `scalar` uses the C++ library one element at a time; the reference interpreter calls it.
enum class Isa : uint8_t { scalar, avx2, avx512 };

/// Returns the widest instruction set that this processor has and element code was compiled for.
Isa widest_isa();

std::string_view name_of(Isa isa);

/// Returns the instruction set of a name: scalar, avx2 or avx512.
std::optional<Isa> isa_named(std::string_view name);

}  // namespace tessera
