#pragma once

#include <array>
#include <tuple>
#include <utility>

#include "expr/functions/abs.h"
#include "expr/functions/add.h"
#include "expr/functions/divide.h"
#include "expr/functions/exp.h"
#include "expr/functions/multiply.h"
#include "expr/functions/square.h"
#include "expr/functions/subtract.h"
#include "kernels/isa/block_entries.h"
#include "kernels/isa/composition_table.h"

/// Functions of functions, from the element code of expr/functions/. Compiled once per instruction
/// set, as the block loops are.
namespace tessera::kernels::TESSERA_ISA {

namespace code = expr::TESSERA_ISA;

/// Outer with Inner in place of its argument at kPosition.
template <class Outer, class Inner, size_t kPosition = 0>
struct Composed {
  static constexpr bool kTakesBatches = true;
  static constexpr int kArity = Outer::kArity + Inner::kArity - 1;

  template <class... T>
  static auto apply(T... arguments) {
    return apply_to(std::tuple(arguments...), std::make_index_sequence<kPosition>(),
                    std::make_index_sequence<Inner::kArity>(),
                    std::make_index_sequence<Outer::kArity - kPosition - 1>());
  }

 private:
  template <class All, size_t... before, size_t... inner, size_t... after>
  static auto apply_to(const All& all, std::index_sequence<before...>,
                       std::index_sequence<inner...>, std::index_sequence<after...>) {
    return Outer::apply(std::get<before>(all)..., Inner::apply(std::get<kPosition + inner>(all)...),
                        std::get<kPosition + Inner::kArity + after>(all)...);
  }
};

template <class F, class T>
constexpr BlockFunction loop_of() {
  return uniform_entry<F, T, T>().function;
}

template <class T, class Outer, class Inner, size_t kPosition = 0>
constexpr Composition composition() {
  return {loop_of<Outer, T>(), loop_of<Inner, T>(), kPosition,
          loop_of<Composed<Outer, Inner, kPosition>, T>()};
}

/// Of a function that makes the same of what Dropped takes as of what it makes.
template <class T, class Outer, class Dropped, class Composed>
constexpr Composition without() {
  return {loop_of<Outer, T>(), loop_of<Dropped, T>(), 0, loop_of<Composed, T>()};
}

/// Differences and products into what is done with them: softmax, norms, polynomials, stencils. The
/// square of a magnitude is that of the number.
template <class T>
constexpr auto compositions_of() {
  using code::Abs;
  using code::Add;
  using code::Divide;
  using code::Exp;
  using code::Multiply;
  using code::Square;
  using code::Subtract;
  using ExpOfDifference = Composed<Exp, Subtract>;
  using Distance = Composed<Abs, Subtract>;
  return std::array{composition<T, Exp, Subtract>(),
                    composition<T, Divide, ExpOfDifference>(),
                    composition<T, Divide, Subtract>(),
                    composition<T, Abs, Subtract>(),
                    composition<T, Square, Subtract>(),
                    without<T, Square, Abs, Square>(),
                    without<T, Square, Distance, Composed<Square, Subtract>>(),
                    composition<T, Multiply, Subtract>(),
                    composition<T, Multiply, Subtract, 1>(),
                    composition<T, Multiply, Multiply>(),
                    composition<T, Multiply, Multiply, 1>(),
                    composition<T, Add, Multiply>(),
                    composition<T, Add, Multiply, 1>(),
                    composition<T, Add, Add>(),
                    composition<T, Add, Add, 1>(),
                    composition<T, Subtract, Multiply>(),
                    composition<T, Subtract, Multiply, 1>()};
}

}  // namespace tessera::kernels::TESSERA_ISA
