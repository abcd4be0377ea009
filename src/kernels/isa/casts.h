#pragma once

#include "kernels/isa/block_entries.h"

namespace tessera::expr::TESSERA_ISA {

/// Converts one element like numpy's astype on x86: a float is truncated towards zero (if the
/// integer cannot hold it, the result is the wrapped low part of the machine's conversion, the same
/// on every instruction set); wider integers wrap; anything nonzero, NaN too, is true; a complex
/// number loses its imaginary part.
template <class To, class From>
inline To cast_element(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (kIsComplex<From>) {
    if constexpr (kIsComplex<To>) {
      using Part = typename To::value_type;
      return To(static_cast<Part>(value.real()), static_cast<Part>(value.imag()));
    } else {
      return cast_element<To>(value.real());
    }
  } else if constexpr (kIsComplex<To>) {
    return To(static_cast<typename To::value_type>(value));
  } else if constexpr (std::is_floating_point_v<From> && std::is_same_v<To, uint64_t>) {
    constexpr From kHalf = From(9223372036854775808.0);  // 2^63
    const bool is_high = value >= kHalf;
    const int64_t low = static_cast<int64_t>(is_high ? value - kHalf : value);
    return static_cast<uint64_t>(low) ^ (is_high ? uint64_t{1} << 63 : 0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // The conversions to 32 and 64 signed bits are the same instruction's result at every width.
    using Machine =
        std::conditional_t<sizeof(To) <= 2 || std::is_same_v<To, int32_t>, int32_t, int64_t>;
    return static_cast<To>(static_cast<Machine>(value));
  } else {
    return static_cast<To>(value);
  }
}

template <class To>
struct CastTo {
  template <class From>
  static To apply(From value) {
    return cast_element<To>(value);
  }
};

}  // namespace tessera::expr::TESSERA_ISA

namespace tessera::kernels::TESSERA_ISA {

template <class From, class All>
struct CastsFrom;
template <class From, class... To>
struct CastsFrom<From, expr::TESSERA_ISA::Types<To...>> {
  static constexpr std::array kEntries = {entry_of<expr::TESSERA_ISA::CastTo<To>, To, From>()...};
};

template <class All>
struct Casts;
template <class... From>
struct Casts<expr::TESSERA_ISA::Types<From...>> {
  /// Casts from each type to each, in one array.
  static constexpr auto kEntries = [] {
    std::array<BlockEntry, sizeof...(From) * sizeof...(From)> entries{};
    size_t next = 0;
    const auto append = [&](const auto& some) {
      for (const BlockEntry& entry : some) {
        entries[next++] = entry;
      }
    };
    (append(CastsFrom<From, expr::TESSERA_ISA::Types<From...>>::kEntries), ...);
    return entries;
  }();
};

constexpr FunctionEntries all_casts() {
  using All = Casts<expr::TESSERA_ISA::Everything>;
  return {kCastName, expr::FunctionCost::instruction, All::kEntries.data(),
          static_cast<int64_t>(All::kEntries.size())};
}

}  // namespace tessera::kernels::TESSERA_ISA
