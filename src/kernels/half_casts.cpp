#include "kernels/half_casts.h"

#include <array>
#include <complex>

#include "kernels/half_conversion.h"
#include "types/half_rounding.h"
#include "types/native.h"

namespace tessera::kernels {

namespace {

template <class From>
float odd_float(From value) {
  if constexpr (std::is_same_v<From, float>) {
    return value;
  } else if constexpr (std::is_same_v<From, double>) {
    return odd_float_from(value);
  } else if constexpr (std::is_integral_v<From>) {
    return odd_float_from_integer(value);
  } else {
    return odd_float(value.real());
  }
}

template <class From, bool kIsBrain>
Status round_block(const void* const* arguments, void* result, int64_t count) noexcept {
  const auto* const from = static_cast<const From*>(arguments[0]);
  auto* const to = static_cast<float*>(result);
  std::array<float, kBlock> floats{};
  std::array<uint16_t, kBlock> halves{};
  for (int64_t e = 0; e < count; ++e) {
    floats[static_cast<size_t>(e)] = odd_float(from[e]);
  }
  if constexpr (kIsBrain) {
    bf16_from_floats(floats.data(), halves.data(), count);
    floats_from_bf16(halves.data(), to, count);
  } else {
    f16_from_floats(floats.data(), halves.data(), count);
    floats_from_f16(halves.data(), to, count);
  }
  return Status::ok;
}

}  // namespace

BlockFunction find_half_cast(DType from, DType to) {
  return visit_compute_type(from, [&](auto type) -> BlockFunction {
    using From = typename decltype(type)::type;
    return to == DType::bf16 ? &round_block<From, true> : &round_block<From, false>;
  });
}

const char* half_cast_name(DType to) {
  return to == DType::bf16 ? "round_to_bf16" : "round_to_f16";
}

}  // namespace tessera::kernels
