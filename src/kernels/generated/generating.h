#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera::kernels::generated {

/// The policy of generating code.
enum class Generating : uint8_t {
  off,
  automatic,  // if it saves more than making it takes
  always      // for every formula, for tests
};

std::string_view name_of(Generating generating);

/// Returns the policy of a name: off, auto or always.
std::optional<Generating> generating_named(std::string_view name);

}  // namespace tessera::kernels::generated
