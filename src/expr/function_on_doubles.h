#pragma once

#include <map>
#include <string>

#include "expr/function_code.h"

namespace tessera::expr {

/// A function of as many numbers as it takes.
using OnDoubles = double (*)(const double* x);

/// Of every function of expr/functions/ that is computed in f64, or on truth values alone; the list
/// is generated from the folder.
std::map<std::string, OnDoubles> functions_on_doubles();

}  // namespace tessera::expr

namespace tessera::expr::TESSERA_ISA {

template <class T, class List>
inline constexpr bool kContains = false;
template <class T, class... Each>
inline constexpr bool kContains<T, Types<Each...>> = (std::is_same_v<T, Each> || ...);

/// One of the signatures of a list: that of double, that of bool where there is no other, or none.
template <class Signatures>
struct Chosen;
template <template <class> class Signature, class List>
struct Chosen<Signature<List>> {
  static constexpr bool kTakesDoubles = kContains<double, List>;
  static constexpr bool kIsDraw = std::is_same_v<Signature<List>, Draw<List>>;  // of bits
  static constexpr bool kExists = !kIsDraw && (kTakesDoubles || std::is_same_v<List, Bools>);
  using Argument = std::conditional_t<kTakesDoubles, double, bool>;
  using First = std::conditional_t<std::is_same_v<Signature<List>, Choice<List>>, bool, Argument>;
};

/// Adds the function that a file of expr/functions/ describes.
template <class F>
void add_on_doubles(std::map<std::string, OnDoubles>& table) {
  using Signature = Chosen<typename F::Computed>;
  if constexpr (Signature::kExists) {
    table.emplace(F::kName, [](const double* x) -> double {
      using First = typename Signature::First;
      using T = typename Signature::Argument;
      if constexpr (F::kArity == 1) {
        return F::apply(static_cast<First>(x[0]));
      } else if constexpr (F::kArity == 2) {
        return F::apply(static_cast<First>(x[0]), static_cast<T>(x[1]));
      } else {
        static_assert(F::kArity == 3);
        return F::apply(static_cast<First>(x[0]), static_cast<T>(x[1]), static_cast<T>(x[2]));
      }
    });
  }
}

}  // namespace tessera::expr::TESSERA_ISA
