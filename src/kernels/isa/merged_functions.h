#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/isa/compositions.h"
#include "kernels/isa/merged_function_table.h"
#include "kernels/isa/row_folds.h"

/// Functions that are merged while they are computed, from the element code of expr/functions/.
/// Compiled once per instruction set, like the block loops.
namespace tessera::kernels::TESSERA_ISA {

/// The results of F on arguments of type T, merged by Merge in the lanes of a fold. Arguments with
/// their bit set in kUniform are one element.
template <class Merge, class F, class T, uint32_t kUniform,
          class Positions = std::make_index_sequence<F::kArity>>
struct Merged;
template <class Merge, class F, class T, uint32_t kUniform, size_t... position>
struct Merged<Merge, F, T, kUniform, std::index_sequence<position...>> {
  using Folded = Fold<Merge, T>;
  using Lanes = Vectors<T>;
  using Vector = typename Lanes::Type;
  static constexpr int64_t kCount = Lanes::kCount;
  /// Registers of lanes that are merged in one walk: half of AVX2's sixteen.
  static constexpr int64_t kTogether = std::min<int64_t>(Folded::kVectors, 8);

  static Status run(const void* const* arguments, void* result, int64_t count) noexcept {
    const Sources from = {static_cast<const T*>(arguments[position])...};
    T* to = static_cast<T*>(result);
    int64_t done = 0;
    for (; done + kBlock <= count; done += kBlock) {
      Vector lanes[Folded::kVectors];
      merge_lanes(from, done, kBlock, lanes);
      Folded::halve(lanes, to++);
    }
    if (const int64_t whole = (count - done) / kFoldLanes * kFoldLanes; whole > 0) {
      Vector lanes[Folded::kVectors];
      merge_lanes(from, done, whole, lanes);
#pragma GCC unroll kUnrolled
      for (int64_t v = 0; v < Folded::kVectors; ++v) {
        Lanes::store(to + v * kCount, lanes[v]);
      }
      to += kFoldLanes;
      done += whole;
    }
    for (; done < count; ++done) {
      *to++ = F::apply(from[position][kIsUniform<position> ? 0 : done]...);
    }
    return Status::ok;
  }

 private:
  using Sources = std::array<const T*, sizeof...(position)>;

  template <size_t argument>
  static constexpr bool kIsUniform = (kUniform >> argument & 1) != 0;

  template <size_t argument>
  static Vector load(const Sources& from, int64_t e) {
    return kIsUniform<argument> ? Vector(from[argument][0]) : Lanes::load(from[argument] + e);
  }

  static Vector value(const Sources& from, int64_t e) {
    return F::apply(load<position>(from, e)...);
  }

  /// Merges some of the lanes of `count` elements, a multiple of kFoldLanes, from `first` on.
  static void merge_lanes(const Sources& from, int64_t first, int64_t count,
                          Vector (&lanes)[Folded::kVectors]) {
#pragma GCC unroll kUnrolled
    for (int64_t lane = 0; lane < Folded::kVectors; lane += kTogether) {
      merge_together(from, first + lane * kCount, count, lanes + lane);
    }
  }

  static void merge_together(const Sources& from, int64_t first, int64_t count, Vector* lanes) {
    Vector together[kTogether];
    const bool fetches = fetches_ahead();
    if (fetches) {
      fetch(from, first);
    }
#pragma GCC unroll kUnrolled
    for (int64_t v = 0; v < kTogether; ++v) {
      together[v] = value(from, first + v * kCount);
    }
    for (int64_t e = first + kFoldLanes; e < first + count; e += kFoldLanes) {
      if (fetches) {
        fetch(from, e);
      }
#pragma GCC unroll kUnrolled
      for (int64_t v = 0; v < kTogether; ++v) {
        together[v] = Merge::apply(together[v], value(from, e + v * kCount));
      }
    }
#pragma GCC unroll kUnrolled
    for (int64_t v = 0; v < kTogether; ++v) {
      lanes[v] = together[v];
    }
  }

  /// Prefetches like a fold.
  static void fetch(const Sources& from, int64_t e) {
    (fetch_of<position>(from, e), ...);
  }

  template <size_t argument>
  static void fetch_of(const Sources& from, int64_t e) {
    if constexpr (!kIsUniform<argument>) {
#pragma GCC unroll kUnrolled
      for (int64_t line = 0; line < kTogether * kCount; line += Folded::kLine) {
        __builtin_prefetch(from[argument] + e + line + Folded::kAhead);
      }
    }
  }
};

template <class T, class Merge, class F, uint32_t kUniform = 0>
constexpr MergedFunction merged() {
  return {Merge::kName, loop_of<F, T>(), kUniform, &Merged<Merge, F, T, kUniform>::run, nullptr};
}

/// Returns norms and distances, and deviations from a mean.
template <class T>
constexpr auto merged_functions_of() {
  using code::Abs;
  using code::Add;
  using code::Maximum;
  using code::Multiply;
  using code::Square;
  using code::Subtract;
  using Distance = Composed<Abs, Subtract>;
  using SquaredDistance = Composed<Square, Subtract>;
  constexpr uint32_t kSecond = 2;
  return std::array{merged<T, Add, Square>(),
                    merged<T, Add, Abs>(),
                    merged<T, Add, Multiply>(),
                    merged<T, Add, SquaredDistance>(),
                    merged<T, Add, SquaredDistance, kSecond>(),
                    merged<T, Add, Distance>(),
                    merged<T, Add, Distance, kSecond>(),
                    merged<T, Maximum, Abs>(),
                    merged<T, Maximum, Distance>()};
}

}  // namespace tessera::kernels::TESSERA_ISA
