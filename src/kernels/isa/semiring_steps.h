#pragma once

#include <type_traits>

#include "expr/functions/add.h"
#include "expr/functions/maximum.h"
#include "expr/functions/minimum.h"
#include "expr/functions/multiply.h"
#include "expr/functions/square.h"
#include "expr/fused_multiply_add.h"
#include "kernels/isa/vectors.h"

/// The steps of a semiring tile at one position of the depth, from the element code of
/// expr/functions/ on batches (on single elements if the instruction set has none). Compiled once
/// per instruction set, like the block loops.
namespace tessera::kernels::TESSERA_ISA {

namespace code = expr::TESSERA_ISA;

struct Itself {
  template <class T>
  static T apply(T x) {
    return x;
  }
};

template <class F>
struct OnOrdinary {
  using type = F;
};

#ifdef TESSERA_ISA_BATCHES
/// A maximum in one instruction: the sign of zeros and NaN do not matter.
struct OrdinaryMaximum {
  template <class V>
  static V apply(V x, V y) {
    return xsimd::max(x, y);
  }
};
struct OrdinaryMinimum {
  template <class V>
  static V apply(V x, V y) {
    return xsimd::min(x, y);
  }
};
template <>
struct OnOrdinary<code::Maximum> {
  using type = OrdinaryMaximum;
};
template <>
struct OnOrdinary<code::Minimum> {
  using type = OrdinaryMinimum;
};
#endif

/// True if merging numbers of T rounds.
template <class T, class Merge>
inline constexpr bool kSumsRound = std::is_floating_point_v<T>&& std::is_same_v<Merge, code::Add>;

/// The step of_join(join(a, b)) * weight, merged with the value so far. A product that is added to
/// a sum of floats is rounded with it, once.
template <class T, class Join, class OfJoin, class Merge>
struct Step {
  template <class V>
  static V first(V a, V b) {
    return OfJoin::apply(Join::apply(a, b));
  }
  template <class V>
  static V first(V a, V b, V weight) {
    if constexpr (kSumsRound<T, Merge>) {
      return expr::TESSERA_ISA::fused_multiply_add(first(a, b), weight,
                                                   V(T(0)));  // a sum of nothing but -0 is +0
    } else {
      return code::Multiply::apply(first(a, b), weight);
    }
  }

  template <class V>
  static V next(V merged, V a, V b) {
    if constexpr (kSumsRound<T, Merge> && std::is_same_v<OfJoin, code::Square>) {
      const V joined = Join::apply(a, b);
      return expr::TESSERA_ISA::fused_multiply_add(joined, joined, merged);
    } else {
      return Merge::apply(merged, first(a, b));
    }
  }
  template <class V>
  static V next(V merged, V a, V b, V weight) {
    if constexpr (kSumsRound<T, Merge>) {
      return expr::TESSERA_ISA::fused_multiply_add(first(a, b), weight, merged);
    } else {
      return Merge::apply(merged, first(a, b, weight));
    }
  }
};

}  // namespace tessera::kernels::TESSERA_ISA
