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
/// set, like the block loops.
namespace tessera::kernels::TESSERA_ISA {

namespace code = expr::TESSERA_ISA;

/// The function Outer with Inner in place of its argument at kPosition.
template <class Outer, class Inner, size_t kPosition = 0>
struct Composed {
  static constexpr bool kTakesBatches = true;
  static constexpr int kArity = Outer::kArity + Inner::kArity - 1;
  static constexpr expr::FunctionCost kCost = std::max(Outer::kCost, Inner::kCost);

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

/// The loop of a function of any number of arguments of one type.
template <class F, class T, class Positions = std::make_index_sequence<F::kArity>>
struct LoopOf;
template <class F, class T, size_t... position>
struct LoopOf<F, T, std::index_sequence<position...>> {
  template <size_t>
  using Argument = T;
  static constexpr BlockFunction kFunction = &Loop<F, T, Argument<position>...>::run;
};

template <class F, class T>
constexpr BlockFunction loop_of() {
  return LoopOf<F, T>::kFunction;
}

template <class T, class Outer, class Inner, size_t kPosition = 0>
constexpr Composition composition() {
  return {loop_of<Outer, T>(), loop_of<Inner, T>(), kPosition,
          loop_of<Composed<Outer, Inner, kPosition>, T>()};
}

/// Returns the composition of Outer and Dropped, for an Outer that gives the same with and without
/// Dropped.
template <class T, class Outer, class Dropped, class Composed>
constexpr Composition without() {
  return {loop_of<Outer, T>(), loop_of<Dropped, T>(), 0, loop_of<Composed, T>()};
}

/// N numbers added one after the other, ((x0 + x1) + x2) + ...
template <int N>
struct SumOf {
  using Type = Composed<code::Add, typename SumOf<N - 1>::Type>;
};
template <>
struct SumOf<2> {
  using Type = code::Add;
};
template <int N>
using Sum = typename SumOf<N>::Type;

/// N terms added from a product on: ((x0 * x1 + x2) + x3) + ...
template <int N>
struct SumFromProductOf {
  using Type = Composed<code::Add, typename SumFromProductOf<N - 1>::Type>;
};
template <>
struct SumFromProductOf<2> {
  using Type = Composed<code::Add, code::Multiply>;
};
template <int N>
using SumFromProduct = typename SumFromProductOf<N>::Type;

/// N products added one after the other, and the sum of N - 1 of them and a number.
template <int N>
struct ProductsOf {
  using AndOne = Composed<code::Add, typename ProductsOf<N - 1>::Type>;
  using Type = Composed<AndOne, code::Multiply, 2 * (N - 1)>;
};
template <>
struct ProductsOf<2> {
  using AndOne = SumFromProduct<2>;
  using Type = Composed<AndOne, code::Multiply, 2>;
};
template <int N>
using Products = typename ProductsOf<N>::Type;
template <int N>
using ProductsAndOne = typename ProductsOf<N>::AndOne;  // of N - 1 products

/// Returns the compositions of stencils with sums of N numbers: one number more, one less, or less
/// a product; a multiple.
template <class T, int N>
constexpr auto compositions_of_sum() {
  using code::Add;
  using code::Multiply;
  using code::Subtract;
  using Less = Composed<Subtract, Sum<N>>;
  return std::array{composition<T, Add, Sum<N>>(),
                    composition<T, Add, SumFromProduct<N>>(),
                    composition<T, Sum<N + 1>, Multiply, N>(),
                    composition<T, Subtract, Sum<N>>(),
                    composition<T, Less, Multiply, N>(),
                    composition<T, Multiply, Sum<N>>(),
                    composition<T, Multiply, Sum<N>, 1>()};
}

/// Returns the compositions that add one product more, in two steps.
template <class T, int N>
constexpr auto compositions_of_products() {
  return std::array{composition<T, ProductsAndOne<N>, code::Multiply, 2 * (N - 1)>(),
                    composition<T, code::Add, Products<N>>()};
}

template <class Entry, size_t... kSizes>
constexpr auto joined(const std::array<Entry, kSizes>&... parts) {
  std::array<Entry, (kSizes + ...)> all{};
  size_t next = 0;
  const auto append = [&](const auto& part) {
    for (const Entry& entry : part) {
      all[next++] = entry;
    }
  };
  (append(parts), ...);
  return all;
}

/// Returns the compositions of differences and products in softmax, norms and polynomials. The
/// square of a magnitude is that of the number.
template <class T>
constexpr auto compositions_of_pairs() {
  using code::Abs;
  using code::Add;
  using code::Divide;
  using code::Exp;
  using code::Multiply;
  using code::Square;
  using code::Subtract;
  using ExpOfDifference = Composed<Exp, Subtract>;
  using Distance = Composed<Abs, Subtract>;
  using LessProduct = Composed<Subtract, Multiply, 1>;
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
                    composition<T, Add, Add, 1>(),
                    composition<T, Subtract, Multiply>(),
                    composition<T, Subtract, Multiply, 1>(),
                    composition<T, Add, LessProduct>()};
}

/// Returns pairs, and the sums of stencils and filters: as many terms as one loop walks at once
/// without running out of registers for their addresses.
template <class T>
constexpr auto compositions_of() {
  return joined(compositions_of_pairs<T>(), compositions_of_sum<T, 2>(),
                compositions_of_sum<T, 3>(), compositions_of_sum<T, 4>(),
                compositions_of_sum<T, 5>(), compositions_of_sum<T, 6>(),
                compositions_of_products<T, 2>(), compositions_of_products<T, 3>(),
                compositions_of_products<T, 4>());
}

}  // namespace tessera::kernels::TESSERA_ISA
