#pragma once

#include <algorithm>
#include <array>

#include "expr/functions/add.h"
#include "expr/functions/maximum.h"
#include "expr/functions/minimum.h"
#include "expr/functions/multiply.h"
#include "kernels/isa/block_entries.h"
#include "kernels/isa/scan_table.h"

/// The loops of scans, from the element code of expr/functions/. Compiled once per instruction set,
/// like the block loops.
namespace tessera::kernels::TESSERA_ISA {

namespace code = expr::TESSERA_ISA;

/// The scan by a function of two arguments.
template <class F, class T>
struct ScanOf {
  static void run(const ScanBlock& block) noexcept {
    if (block.results == nullptr) {
      merge_lines(block);
    } else if (block.num_lines == 1) {
      one_line(block);
    } else if (block.is_exclusive) {
      lines_exclusive(block);
    } else {
      lines(block);
    }
  }

 private:
  static void one_line(const ScanBlock& block) noexcept {
    const T* element = static_cast<const T*>(block.elements[0]);
    T* result = static_cast<T*>(block.results);
    T state = *static_cast<const T*>(block.state[0]);
    for (int64_t step = 0; step < block.num_steps; ++step) {
      const T merged = F::apply(state, *element);
      *result = block.is_exclusive ? state : merged;
      state = merged;
      element += block.step[0];
      result += block.result_step;
    }
    *static_cast<T*>(block.state[0]) = state;
  }

  static void merge_lines(const ScanBlock& block) noexcept {
    const T* elements = static_cast<const T*>(block.elements[0]);
    T* __restrict states = static_cast<T*>(block.state[0]);
    for (int64_t step = 0; step < block.num_steps; ++step) {
      for (int64_t line = 0; line < block.num_lines; ++line) {
        states[line] = F::apply(states[line], elements[block.stride[0] * line]);
      }
      elements += block.step[0];
    }
  }

  /// Scans lines. The results of a step are the states before the next.
  static void lines(const ScanBlock& block) noexcept {
    const T* elements = static_cast<const T*>(block.elements[0]);
    const T* before = static_cast<const T*>(block.state[0]);
    T* results = static_cast<T*>(block.results);
    for (int64_t step = 0; step < block.num_steps; ++step) {
      merge(before, elements, block.stride[0], block.num_lines, results);
      before = results;
      elements += block.step[0];
      results += block.result_step;
    }
    if (block.num_steps > 0) {
      std::copy_n(before, block.num_lines, static_cast<T*>(block.state[0]));
    }
  }

  static void lines_exclusive(const ScanBlock& block) noexcept {
    const T* elements = static_cast<const T*>(block.elements[0]);
    T* state = static_cast<T*>(block.state[0]);
    T* results = static_cast<T*>(block.results);
    for (int64_t step = 0; step < block.num_steps; ++step) {
      if (elements == results) {
        exchange(state, results, block.num_lines);
      } else {
        std::copy_n(state, block.num_lines, results);
        merge(results, elements, block.stride[0], block.num_lines, state);
      }
      elements += block.step[0];
      results += block.result_step;
    }
  }

  /// Makes a step in place: the states go to the elements' memory, merged with them.
  static void exchange(T* __restrict state, T* __restrict elements, int64_t num_lines) noexcept {
    for (int64_t line = 0; line < num_lines; ++line) {
      const T merged = F::apply(state[line], elements[line]);
      elements[line] = state[line];
      state[line] = merged;
    }
  }

  static void merge_in_place(const T* __restrict before, T* __restrict elements,
                             int64_t num_lines) noexcept {
    for (int64_t line = 0; line < num_lines; ++line) {
      elements[line] = F::apply(before[line], elements[line]);
    }
  }

  static void merge(const T* before, const T* elements, int64_t stride, int64_t num_lines,
                    T* merged) noexcept {
    if (elements == merged) {
      merge_in_place(before, merged, num_lines);
    } else {
      merge_apart(before, elements, stride, num_lines, merged);
    }
  }

  static void merge_apart(const T* __restrict before, const T* __restrict elements, int64_t stride,
                          int64_t num_lines, T* __restrict merged) noexcept {
    if (stride == 1) {
      for (int64_t line = 0; line < num_lines; ++line) {
        merged[line] = F::apply(before[line], elements[line]);
      }
    } else {
      for (int64_t line = 0; line < num_lines; ++line) {
        merged[line] = F::apply(before[line], elements[stride * line]);
      }
    }
  }
};

/// The scan by the recurrence (kRecurrence). Products are merged only if no results are stored.
template <class T>
struct Recurrence {
  static void run(const ScanBlock& block) noexcept {
    if (block.results == nullptr) {
      merge_lines(block);
    } else if (block.num_lines == 1) {
      one_line(block);
    } else {
      lines(block);
    }
  }

 private:
  static T next(T state, T added, T factor) {
    return code::Add::apply(added, code::Multiply::apply(factor, state));
  }

  static void one_line(const ScanBlock& block) noexcept {
    const T* added = static_cast<const T*>(block.elements[0]);
    const T* factor = static_cast<const T*>(block.elements[1]);
    T* result = static_cast<T*>(block.results);
    T state = *static_cast<const T*>(block.state[0]);
    for (int64_t step = 0; step < block.num_steps; ++step) {
      const T merged = next(state, *added, *factor);
      *result = block.is_exclusive ? state : merged;
      state = merged;
      added += block.step[0];
      factor += block.step[1];
      result += block.result_step;
    }
    *static_cast<T*>(block.state[0]) = state;
  }

  static constexpr int64_t kSideBySide = 64;

  /// Scans lines. Results may share memory with elements, so these are read before.
  static void lines(const ScanBlock& block) noexcept {
    const T* added = static_cast<const T*>(block.elements[0]);
    const T* factor = static_cast<const T*>(block.elements[1]);
    T* const state = static_cast<T*>(block.state[0]);
    T* results = static_cast<T*>(block.results);
    for (int64_t step = 0; step < block.num_steps; ++step) {
      for (int64_t first = 0; first < block.num_lines; first += kSideBySide) {
        const int64_t count = std::min(kSideBySide, block.num_lines - first);
        std::array<T, kSideBySide> merged;
        for (int64_t line = 0; line < count; ++line) {
          const int64_t at = first + line;
          merged[static_cast<size_t>(line)] =
              next(state[at], added[block.stride[0] * at], factor[block.stride[1] * at]);
        }
        std::copy_n(block.is_exclusive ? state + first : merged.data(), count, results + first);
        std::copy_n(merged.data(), count, state + first);
      }
      added += block.step[0];
      factor += block.step[1];
      results += block.result_step;
    }
  }

  static void merge_lines(const ScanBlock& block) noexcept {
    const T* added = static_cast<const T*>(block.elements[0]);
    const T* factor = static_cast<const T*>(block.elements[1]);
    T* __restrict states = static_cast<T*>(block.state[0]);
    T* __restrict products = static_cast<T*>(block.state[1]);
    for (int64_t step = 0; step < block.num_steps; ++step) {
      for (int64_t line = 0; line < block.num_lines; ++line) {
        const T factor_here = factor[block.stride[1] * line];
        states[line] = next(states[line], added[block.stride[0] * line], factor_here);
        products[line] = code::Multiply::apply(products[line], factor_here);
      }
      added += block.step[0];
      factor += block.step[1];
    }
  }
};

template <class F, class T>
constexpr ScanEntry scan_entry() {
  return {F::kName, kDType<T>, &ScanOf<F, T>::run};
}

template <class T>
constexpr std::array<ScanEntry, 5> scans_of() {
  return {scan_entry<code::Add, T>(), scan_entry<code::Multiply, T>(),
          scan_entry<code::Maximum, T>(), scan_entry<code::Minimum, T>(),
          ScanEntry{kRecurrence, kDType<T>, &Recurrence<T>::run}};
}

}  // namespace tessera::kernels::TESSERA_ISA
