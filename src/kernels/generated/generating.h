#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera::kernels::generated {

/// When code is generated.
enum class Generating : uint8_t {
  off,
  automatic,  // where what it saves is more than what making it takes
  always      // wherever there is a formula, for tests
};

std::string_view name_of(Generating generating);

/// The choice of a name: off, auto or always.
std::optional<Generating> generating_named(std::string_view name);

}  // namespace tessera::kernels::generated
