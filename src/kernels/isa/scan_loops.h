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
/// as the block loops are.
namespace tessera::kernels::TESSERA_ISA {

namespace code = expr::TESSERA_ISA;

template <class F, class T>
struct ScanOf {
  static void run(const ScanBlock& block) noexcept {
    if (block.num_lines == 1) {
      one_line(block);
    } else if (block.is_exclusive) {
      lines_exclusive(block);
    } else {
      lines(block);
    }
  }

 private:
  static void one_line(const ScanBlock& block) noexcept {
    const T* element = static_cast<const T*>(block.elements);
    T* result = static_cast<T*>(block.results);
    T state = *static_cast<const T*>(block.state);
    for (int64_t step = 0; step < block.num_steps; ++step) {
      const T merged = F::apply(state, *element);
      *result = block.is_exclusive ? state : merged;
      state = merged;
      element += block.step;
      result += block.result_step;
    }
    *static_cast<T*>(block.state) = state;
  }

  /// The results of a step are the states before the next.
  static void lines(const ScanBlock& block) noexcept {
    const T* elements = static_cast<const T*>(block.elements);
    const T* before = static_cast<const T*>(block.state);
    T* results = static_cast<T*>(block.results);
    for (int64_t step = 0; step < block.num_steps; ++step) {
      merge(before, elements, block.stride, block.num_lines, results);
      before = results;
      elements += block.step;
      results += block.result_step;
    }
    if (block.num_steps > 0) {
      std::copy_n(before, block.num_lines, static_cast<T*>(block.state));
    }
  }

  static void lines_exclusive(const ScanBlock& block) noexcept {
    const T* elements = static_cast<const T*>(block.elements);
    T* state = static_cast<T*>(block.state);
    T* results = static_cast<T*>(block.results);
    for (int64_t step = 0; step < block.num_steps; ++step) {
      std::copy_n(state, block.num_lines, results);
      merge(results, elements, block.stride, block.num_lines, state);
      elements += block.step;
      results += block.result_step;
    }
  }

  static void merge(const T* __restrict before, const T* __restrict elements, int64_t stride,
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

template <class F, class T>
constexpr ScanEntry scan_entry() {
  return {F::kName, kDType<T>, &ScanOf<F, T>::run};
}

template <class T>
constexpr std::array<ScanEntry, 4> scans_of() {
  return {scan_entry<code::Add, T>(), scan_entry<code::Multiply, T>(),
          scan_entry<code::Maximum, T>(), scan_entry<code::Minimum, T>()};
}

}  // namespace tessera::kernels::TESSERA_ISA
