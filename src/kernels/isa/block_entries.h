#pragma once

#include "kernels/isa/block_loops.h"

/// The vocabulary of generated tables: functions_of<Exp>() are the loops of exp on this instruction
/// set.
namespace tessera::kernels::TESSERA_ISA {

template <class T>
inline constexpr DType kDType = DType::b1;
template <>
inline constexpr DType kDType<int8_t> = DType::i8;
template <>
inline constexpr DType kDType<int16_t> = DType::i16;
template <>
inline constexpr DType kDType<int32_t> = DType::i32;
template <>
inline constexpr DType kDType<int64_t> = DType::i64;
template <>
inline constexpr DType kDType<uint8_t> = DType::u8;
template <>
inline constexpr DType kDType<uint16_t> = DType::u16;
template <>
inline constexpr DType kDType<uint32_t> = DType::u32;
template <>
inline constexpr DType kDType<uint64_t> = DType::u64;
template <>
inline constexpr DType kDType<float> = DType::f32;
template <>
inline constexpr DType kDType<double> = DType::f64;
template <>
inline constexpr DType kDType<std::complex<float>> = DType::c64;
template <>
inline constexpr DType kDType<std::complex<double>> = DType::c128;

template <class T>
struct PartOf {
  using type = T;
};
template <class T>
struct PartOf<std::complex<T>> {
  using type = T;
};

/// Returns the entry of a function. Complex numbers have scalar code only: the library's complex
/// functions are templates of one name in every source, so compiled with -m flags they could be
/// linked into `scalar`. The other instruction sets take the scalar loops.
template <class F, class Result, class... Arguments>
constexpr BlockEntry entry_of() {
  BlockEntry entry{{kDType<Arguments>...}, sizeof...(Arguments), kDType<Result>, nullptr};
  if constexpr (!kHasBatches || !(expr::TESSERA_ISA::kIsComplex<Result> || ... ||
                                  expr::TESSERA_ISA::kIsComplex<Arguments>)) {
    entry.function = &Loop<F, Result, Arguments...>::run;
  }
  return entry;
}

/// Returns the entry of a function of kArity arguments of one type.
template <class F, class Result, class T>
constexpr BlockEntry uniform_entry() {
  if constexpr (F::kArity == 1) {
    return entry_of<F, Result, T>();
  } else if constexpr (F::kArity == 2) {
    return entry_of<F, Result, T, T>();
  } else {
    return entry_of<F, Result, T, T, T>();
  }
}

/// Returns the entry of a function of a condition and one or two arguments of one type.
template <class F, class T>
constexpr BlockEntry choice_entry() {
  if constexpr (F::kArity == 2) {
    return entry_of<F, T, bool, T>();
  } else {
    return entry_of<F, T, bool, T, T>();
  }
}

/// Returns the entry of a random draw: of bits and one or two parameters of one type.
template <class F, class T>
constexpr BlockEntry draw_entry() {
  if constexpr (F::kArity == 2) {
    return entry_of<F, T, int64_t, T>();
  } else {
    return entry_of<F, T, int64_t, T, T>();
  }
}

template <class F, class Computed>
struct Entries;
template <class F, class... T>
struct Entries<F, expr::TESSERA_ISA::Same<expr::TESSERA_ISA::Types<T...>>> {
  static constexpr std::array kAll = {uniform_entry<F, T, T>()...};
};
template <class F, class... T>
struct Entries<F, expr::TESSERA_ISA::Test<expr::TESSERA_ISA::Types<T...>>> {
  static constexpr std::array kAll = {uniform_entry<F, bool, T>()...};
};
template <class F, class... T>
struct Entries<F, expr::TESSERA_ISA::RealPart<expr::TESSERA_ISA::Types<T...>>> {
  static constexpr std::array kAll = {uniform_entry<F, typename PartOf<T>::type, T>()...};
};
template <class F, class... T>
struct Entries<F, expr::TESSERA_ISA::Choice<expr::TESSERA_ISA::Types<T...>>> {
  static constexpr std::array kAll = {choice_entry<F, T>()...};
};
template <class F, class... T>
struct Entries<F, expr::TESSERA_ISA::Draw<expr::TESSERA_ISA::Types<T...>>> {
  static constexpr std::array kAll = {draw_entry<F, T>()...};
};

template <class F>
constexpr FunctionEntries functions_of() {
  using All = Entries<F, typename F::Computed>;
  return {F::kName, F::kCost, All::kAll.data(), static_cast<int64_t>(All::kAll.size())};
}

}  // namespace tessera::kernels::TESSERA_ISA
