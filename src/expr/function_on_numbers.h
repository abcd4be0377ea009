#pragma once

#include <map>
#include <string>

#include "base/error.h"
#include "expr/function_code.h"

namespace tessera::expr {

/// A function on numbers, with its code for f64 (or, if it has none, for truth values) and for i64.
/// Null: it is not computed in these.
struct OnNumbers {
  double (*doubles)(const double* x) = nullptr;
  /// Computes the value. Errors: `user` if there is none, like for an integer divided by zero.
  int64_t (*integers)(const int64_t* x) = nullptr;
};

/// Returns every function of expr/functions/; the list is generated from the folder.
std::map<std::string, OnNumbers> functions_on_numbers();

}  // namespace tessera::expr

namespace tessera::expr::TESSERA_ISA {

template <class T, class List>
inline constexpr bool kContains = false;
template <class T, class... Each>
inline constexpr bool kContains<T, Types<Each...>> = (std::is_same_v<T, Each> || ...);

/// The argument and result types of a function, or the fact that it is not computed in them.
template <class Signatures>
struct Chosen;
template <template <class> class Signature, class List>
struct Chosen<Signature<List>> {
  static constexpr bool kIsDraw = std::is_same_v<Signature<List>, Draw<List>>;  // of bits
  static constexpr bool kIsChoice = std::is_same_v<Signature<List>, Choice<List>>;
  static constexpr bool kTakesDoubles = kContains<double, List>;
  static constexpr bool kHasDoubles =
      !kIsDraw && (kTakesDoubles || std::is_same_v<List, Bools>);  // bools if there is no other
  static constexpr bool kHasIntegers = !kIsDraw && kContains<int64_t, List>;
  using OfDoubles = std::conditional_t<kTakesDoubles, double, bool>;
  template <class T>
  using First = std::conditional_t<kIsChoice, bool, T>;
};

/// Evaluates F on numbers in an array, in T; the first as a First. Errors: `user` if F faults.
template <class F, class First, class T, class Number>
Number value_on(const Number* x) {
  const auto call = [](auto... arguments) {
    if constexpr (requires { F::faults(arguments...); }) {
      TESSERA_USER_CHECK(!F::faults(arguments...), "{}: {}", F::kName, text_of(F::kFault));
    }
    return static_cast<Number>(F::apply(arguments...));
  };
  if constexpr (F::kArity == 1) {
    return call(static_cast<First>(x[0]));
  } else if constexpr (F::kArity == 2) {
    return call(static_cast<First>(x[0]), static_cast<T>(x[1]));
  } else {
    static_assert(F::kArity == 3);
    return call(static_cast<First>(x[0]), static_cast<T>(x[1]), static_cast<T>(x[2]));
  }
}

/// Adds the function that a file of expr/functions/ describes.
template <class F>
void add_on_numbers(std::map<std::string, OnNumbers>& table) {
  using Signature = Chosen<typename F::Computed>;
  OnNumbers& added = table[F::kName];
  if constexpr (Signature::kHasDoubles) {
    using T = typename Signature::OfDoubles;
    added.doubles = &value_on<F, typename Signature::template First<T>, T, double>;
  }
  if constexpr (Signature::kHasIntegers) {
    added.integers = &value_on<F, typename Signature::template First<int64_t>, int64_t, int64_t>;
  }
}

}  // namespace tessera::expr::TESSERA_ISA
