#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "expr/function_code.h"
#include "kernels/isa/block_table.h"
#include "kernels/isa/fetching.h"

#ifdef TESSERA_ISA_BATCHES
#include <xsimd/xsimd.hpp>
#endif

/// The loops over a block, made from the element code of expr/functions/. Compiled once per
/// instruction set in the namespace TESSERA_ISA; see expr/function_code.h for the reason.
namespace tessera::kernels::TESSERA_ISA {

/// True if F may be called on xsimd batches of T: its file allows it, and the instruction set has
/// them.
#ifdef TESSERA_ISA_BATCHES
inline constexpr bool kHasBatches = true;
#else
inline constexpr bool kHasBatches = false;
#endif

template <class F>
concept TakesBatches = requires {
  requires F::kTakesBatches;
};

template <class F, class... T>
concept MayFault = requires(T... arguments) {
  F::faults(arguments...);
};

/// A function with branch-free code for all but a few arguments, which the compiler vectorises.
template <class F, class... T>
concept HasRareCases = requires(T... arguments) {
  F::is_rare(arguments...);
  F::apply_common(arguments...);
};

/// Returns an element in the form that functions take. A bool is read as its byte: GCC 12 does not
/// vectorise a choice between two loads by a bool that is itself loaded.
template <class T>
inline T element(const T* elements, int64_t e) {
  return elements[e];
}
inline bool element(const bool* elements, int64_t e) {
  return reinterpret_cast<const uint8_t*>(elements)[e] != 0;
}

/// Returns the status of a function that faults.
template <class F>
constexpr Status fault_of() {
  using expr::TESSERA_ISA::Fault;
  switch (F::kFault) {
    case Fault::division_by_zero:
      return Status::integer_division_by_zero;
    case Fault::negative_power:
      return Status::negative_integer_power;
    case Fault::no_group:
      return Status::no_such_group;
    case Fault::no_distribution:
      return Status::no_distribution;
  }
}

/// Runs one element after the other; the compiler vectorises plain arithmetic. An argument in the
/// result's own memory is read before it is written, element by element, which is all that ivdep
/// claims.
template <class F, class Result, class... Arguments>
inline Status run_elements(const Arguments*... arguments, Result* result, int64_t count) noexcept {
  if constexpr (MayFault<F, Arguments...>) {
    bool faulty = false;
    for (int64_t e = 0; e < count; ++e) {
      faulty |= F::faults(element(arguments, e)...);
      result[e] = F::apply(element(arguments, e)...);
    }
    return faulty ? fault_of<F>() : Status::ok;
  } else {
#pragma GCC ivdep
    for (int64_t e = 0; e < count; ++e) {
      result[e] = F::apply(element(arguments, e)...);
    }
    return Status::ok;
  }
}

#ifdef TESSERA_ISA_BATCHES
/// Runs whole batches, up to the first multiple of the batch size at or past `count`: a buffer is
/// kBlock long. On processors that benefit (fetching.h) a series prefetches the next block of its
/// arguments, so that memory does not wait (exp(x - c) * y + z of 64 Mi f32: 76 ms without, 66
/// with, one core of a Xeon, 2026-11); a sum or a product in a cache takes up to 1.2 times as long
/// with it.
template <class F, class T, class... Arguments>
inline Status run_batches(const Arguments*... arguments, T* result, int64_t count) noexcept {
  using Batch = xsimd::batch<T>;
  static_assert(kBlock % static_cast<int64_t>(Batch::size) == 0);
  const bool fetches = F::kCost == expr::FunctionCost::series && fetches_ahead();
  for (int64_t e = 0; e < count; e += static_cast<int64_t>(Batch::size)) {
    if (fetches) {
      (__builtin_prefetch(arguments + e + kBlock), ...);
    }
    F::apply(Batch::load_unaligned(arguments + e)...).store_unaligned(result + e);
  }
  return Status::ok;
}
#endif

#ifdef TESSERA_ISA_BATCHES
/// Elements that are computed before the check if all were common.
constexpr int64_t kPart = 128;

/// Runs a part of a block: the common case everywhere, then the others one by one. A result's
/// memory may be an argument's, so it is written at the end.
template <class F, class Result, class... Arguments>
inline void run_part(const Arguments*... arguments, Result* result, int64_t count) noexcept {
  Result values[kPart];
  int has_rare = 0;
  for (int64_t e = 0; e < count; ++e) {
    has_rare |= F::is_rare(arguments[e]...) ? 1 : 0;
    values[e] = F::apply_common(arguments[e]...);
  }
  for (int64_t e = 0; e < count && has_rare != 0; ++e) {
    if (F::is_rare(arguments[e]...)) {
      values[e] = F::apply(arguments[e]...);
    }
  }
  std::copy_n(values, count, result);
}

/// Runs parts of kPart elements, which the compiler knows to be whole vectors, and a last one.
template <class F, class Result, class... Arguments>
inline Status run_common(const Arguments*... arguments, Result* result, int64_t count) noexcept {
  int64_t first = 0;
  for (; first + kPart <= count; first += kPart) {
    run_part<F, Result, Arguments...>((arguments + first)..., result + first, kPart);
  }
  if (first < count) {
    run_part<F, Result, Arguments...>((arguments + first)..., result + first, count - first);
  }
  return Status::ok;
}
#endif

template <class F, class Result, class... Arguments>
struct Loop {
  static Status run(const void* const* arguments, void* result, int64_t count) noexcept {
    return run_at(arguments, static_cast<Result*>(result), count,
                  std::index_sequence_for<Arguments...>{});
  }

 private:
  template <size_t... position>
  static Status run_at(const void* const* arguments, Result* result, int64_t count,
                       std::index_sequence<position...>) noexcept {
#ifdef TESSERA_ISA_BATCHES
    if constexpr (TakesBatches<F> && std::is_floating_point_v<Result>) {
      return run_batches<F, Result, Arguments...>(
          static_cast<const Arguments*>(arguments[position])..., result, count);
    } else if constexpr (HasRareCases<F, Arguments...>) {
      return run_common<F, Result, Arguments...>(
          static_cast<const Arguments*>(arguments[position])..., result, count);
    } else
#endif
    {
      return run_elements<F, Result, Arguments...>(
          static_cast<const Arguments*>(arguments[position])..., result, count);
    }
  }
};

}  // namespace tessera::kernels::TESSERA_ISA
