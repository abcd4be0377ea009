#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "expr/functions/add.h"
#include "expr/functions/bitwise_and.h"
#include "expr/functions/bitwise_or.h"
#include "expr/functions/logical_and.h"
#include "expr/functions/logical_or.h"
#include "expr/functions/maximum.h"
#include "expr/functions/minimum.h"
#include "expr/functions/multiply.h"
#include "kernels/isa/block_entries.h"
#include "kernels/isa/vectors.h"
#include "kernels/isa/window_table.h"

/// The merges of windows, from the element code of expr/functions/ on batches (on single elements
/// if the instruction set has none). Compiled once per instruction set, like the block loops.
namespace tessera::kernels::TESSERA_ISA {

namespace code = expr::TESSERA_ISA;

/// Elements kStep apart, loaded from contiguous vectors: `load` reads up to the element before the
/// next vector's first.
template <class T, int64_t kStep>
struct Apart {
  using Lanes = Vectors<T>;
  using Vector = typename Lanes::Type;
  static constexpr int64_t kCount = Lanes::kCount;

  static Vector load(const T* from) {
    if constexpr (kStep == 1 || kCount == 1) {
      return Lanes::load(from);
    } else {
      return pick(from, std::make_integer_sequence<int, static_cast<int>(kCount)>());
    }
  }

 private:
  template <int... kLanes>
  static Vector pick(const T* from, std::integer_sequence<int, kLanes...>) {
    typedef T Elements __attribute__((vector_size(kCount * sizeof(T))));
    Elements low;
    Elements high;
    std::memcpy(&low, from, sizeof(low));
    std::memcpy(&high, from + kCount, sizeof(high));
    const Elements even = __builtin_shufflevector(low, high, (2 * kLanes)...);
    Vector picked;
    std::memcpy(&picked, &even, sizeof(picked));
    return picked;
  }
};

template <class F, class T>
struct Windows {
  using Lanes = Vectors<T>;
  using Vector = typename Lanes::Type;
  static constexpr int64_t kCount = Lanes::kCount;
  // vectors of results, because merging waits for its operand
  static constexpr int64_t kUnrolled = 4;

  static void run(const void* elements, const WindowLine& line, void* results) noexcept {
    const T* const from = static_cast<const T*>(elements);
    T* const to = static_cast<T*>(results);
    int64_t done = 0;
    if (line.place_step == 1) {
      done = in_vectors<1>(from, line, to);
    } else if (line.place_step == 2) {
      done = in_vectors<2>(from, line, to);
    } else if (line.place_step == 3) {
      done = in_chunks<3>(from, line, to);
    } else if (line.place_step == 4) {
      done = in_chunks<4>(from, line, to);
    }
    one_by_one(from, line, done, to);
  }

 private:
  static T merge(T x, T y) { return static_cast<T>(F::apply(x, y)); }

  /// Returns the number of results made; the rest are less than a vector and one.
  template <int64_t kStep>
  static int64_t in_vectors(const T* from, const WindowLine& line, T* to) {
    // Elements between the last window of a vector and the next one are read as well.
    const int64_t most = kStep == 1 ? line.count : line.count - 1;
    int64_t done = 0;
    for (; done + kUnrolled * kCount <= most; done += kUnrolled * kCount) {
      vectors<kStep, kUnrolled>(from + done * kStep, line, to + done);
    }
    for (; done + kCount <= most; done += kCount) {
      vectors<kStep, 1>(from + done * kStep, line, to + done);
    }
    if (done < most && most >= kCount && !line.continues) {  // some results once more
      vectors<kStep, 1>(from + (most - kCount) * kStep, line, to + most - kCount);
      return most;
    }
    return done;
  }

  template <int64_t kStep, int64_t kVectors>
  [[gnu::always_inline]] static void vectors(const T* from, const WindowLine& line, T* to) {
    using Elements = Apart<T, kStep>;
    Vector merged[kVectors];
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; ++v) {
      merged[v] = Elements::load(from + v * kCount * kStep);
    }
    for (int64_t t = 1; t < line.num_taps; ++t) {
      const T* const tap = from + t * line.tap_step;
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v) {
        merged[v] = F::apply(merged[v], Elements::load(tap + v * kCount * kStep));
      }
    }
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; ++v) {
      T* const at = to + v * kCount;
      Lanes::store(at, line.continues ? F::apply(Lanes::load(at), merged[v]) : merged[v]);
    }
  }

  /// Left to the compiler's vectoriser, which knows the step.
  template <int64_t kStep>
  static int64_t in_chunks(const T* from, const WindowLine& line, T* to) {
    constexpr int64_t kChunk = 64;
    std::array<T, kChunk> merged;
    int64_t done = 0;
    for (; done + kChunk <= line.count; done += kChunk) {
      const T* const first = from + done * kStep;
      for (int64_t e = 0; e < kChunk; ++e) {
        merged[static_cast<size_t>(e)] = first[e * kStep];
      }
      for (int64_t t = 1; t < line.num_taps; ++t) {
        const T* const tap = first + t * line.tap_step;
        for (int64_t e = 0; e < kChunk; ++e) {
          const auto at = static_cast<size_t>(e);
          merged[at] = merge(merged[at], tap[e * kStep]);
        }
      }
      for (int64_t e = 0; e < kChunk; ++e) {
        const T value = merged[static_cast<size_t>(e)];
        to[done + e] = line.continues ? merge(to[done + e], value) : value;
      }
    }
    return done;
  }

  static void one_by_one(const T* from, const WindowLine& line, int64_t first, T* to) {
    for (int64_t e = first; e < line.count; ++e) {
      const T* const window = from + e * line.place_step;
      T merged = window[0];
      for (int64_t t = 1; t < line.num_taps; ++t) {
        merged = merge(merged, window[t * line.tap_step]);
      }
      to[e] = line.continues ? merge(to[e], merged) : merged;
    }
  }
};

/// Windows of bool: any byte but 0 is true.
template <class F>
struct TruthOf {
  template <class T>
  static T apply(T x, T y) {
    return F::apply(code::Minimum::apply(x, T(1)), code::Minimum::apply(y, T(1)));
  }
};

template <class F, class T>
constexpr WindowEntry window_entry() {
  return {F::kName, kDType<T>, &Windows<F, T>::run};
}

/// Returns the entry of a function that is F on bytes of 0 and 1.
template <class Named, class F>
constexpr WindowEntry truth_windows() {
  return {Named::kName, DType::b1, &Windows<TruthOf<F>, uint8_t>::run};
}

}  // namespace tessera::kernels::TESSERA_ISA
