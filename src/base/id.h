#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace tessera {

/// A typed number of a thing in a vector: ids of different things do not mix.
template <class Tag>
struct Id {
  int32_t value = -1;

  constexpr Id() = default;
  constexpr explicit Id(int64_t number) : value(static_cast<int32_t>(number)) {}

  constexpr bool valid() const { return value >= 0; }
  constexpr size_t index() const { return static_cast<size_t>(value); }
  friend constexpr auto operator<=>(Id, Id) = default;
};

}  // namespace tessera

template <class Tag>
struct std::hash<tessera::Id<Tag>> {
  size_t operator()(tessera::Id<Tag> id) const noexcept { return std::hash<int32_t>{}(id.value); }
};
