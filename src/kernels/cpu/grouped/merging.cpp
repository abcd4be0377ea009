#include "kernels/cpu/grouped/merging.h"

#include <algorithm>
#include <string_view>

#include "expr/functions/add.h"
#include "expr/functions/logical_and.h"
#include "expr/functions/logical_or.h"
#include "expr/functions/maximum.h"
#include "expr/functions/minimum.h"
#include "expr/functions/multiply.h"
#include "types/native.h"

namespace tessera::kernels {

namespace {

namespace code = expr::portable;

template <class F, class T>
void merge_element(T& into, T value) noexcept {
  into = F::apply(into, value);
}

template <class F, class T>
void merge_row(T* __restrict into, const T* __restrict values, int64_t length) noexcept {
  for (int64_t e = 0; e < length; ++e) {
    merge_element<F>(into[e], values[e]);
  }
}

template <class F, class T>
void merge_apart(T* into, const T* values, int64_t length, int64_t step) noexcept {
  for (int64_t e = 0; e < length; ++e) {
    merge_element<F>(into[e * step], values[e]);
  }
}

/// Rows ahead of the one that is merged whose memory is asked for: rows lie anywhere.
constexpr int64_t kAhead = 8;

void prefetch(const void* first, int64_t bytes, bool is_written) noexcept {
  constexpr int64_t kLine = 64;
  constexpr int64_t kMostLines = 4;  // the processor sees a longer row coming
  const auto* at = static_cast<const std::byte*>(first);
  for (int64_t line = 0; line < std::min(bytes, kMostLines * kLine); line += kLine) {
    if (is_written) {
      __builtin_prefetch(at + line, 1);
    } else {
      __builtin_prefetch(at + line, 0);
    }
  }
}

template <class T>
void prefetch_ahead(const MergedRows& rows, int64_t row) noexcept {
  if (row + kAhead < rows.num_rows) {
    const int64_t bytes = rows.length * static_cast<int64_t>(sizeof(T));
    prefetch(rows.values + rows.places[row + kAhead], bytes, false);
    prefetch(reinterpret_cast<T*>(rows.results) + rows.offsets[row + kAhead], bytes, true);
  }
}

/// Rows of the results may be one row, so they are merged in their order.
template <class F, class T>
void merge_rows(const MergedRows& rows) noexcept {
  T* const results = reinterpret_cast<T*>(rows.results);
  const auto value_at = [&](int64_t row) {
    return reinterpret_cast<const T*>(rows.values + rows.places[row]);
  };
  if (rows.length == 1) {
    for (int64_t row = 0; row < rows.num_rows; ++row) {
      merge_element<F>(results[rows.offsets[row]], *value_at(row));
    }
    return;
  }
  for (int64_t row = 0; row < rows.num_rows; ++row) {
    prefetch_ahead<T>(rows, row);
    if (rows.step == 1) {
      merge_row<F>(results + rows.offsets[row], value_at(row), rows.length);
    } else {
      merge_apart<F>(results + rows.offsets[row], value_at(row), rows.length, rows.step);
    }
  }
}

template <class T>
void add_products(const MergedRows& rows) noexcept {
  const auto* const factors = reinterpret_cast<const T*>(rows.factors);
  for (int64_t row = 0; row < rows.num_rows; ++row) {
    prefetch_ahead<T>(rows, row);
    T* __restrict into = reinterpret_cast<T*>(rows.results) + rows.offsets[row];
    const T* __restrict values = reinterpret_cast<const T*>(rows.values + rows.places[row]);
    const T factor = factors[row];
    if (rows.step == 1) {
      for (int64_t e = 0; e < rows.length; ++e) {
        into[e] = code::Add::apply(into[e], code::Multiply::apply(factor, values[e]));
      }
    } else {
      for (int64_t e = 0; e < rows.length; ++e) {
        T& own = into[e * rows.step];
        own = code::Add::apply(own, code::Multiply::apply(factor, values[e]));
      }
    }
  }
}

template <class T, class Signatures>
inline constexpr bool kTakes = false;
template <class T, template <class> class Kind, class... In>
inline constexpr bool kTakes<T, Kind<code::Types<In...>>> = (std::is_same_v<T, In> || ...);

template <class F>
MergeRows merge_in(DType dtype) {
  return visit_compute_type(dtype, []<class T>(std::type_identity<T>) -> MergeRows {
    if constexpr (kTakes<T, typename F::Computed>) {
      return &merge_rows<F, T>;
    } else {
      return nullptr;
    }
  });
}

MergeRows merge_by(std::string_view function, DType dtype) {
  struct Known {
    std::string_view name;
    MergeRows (*merge)(DType dtype);
  };
  static constexpr Known kKnown[] = {{code::Add::kName, &merge_in<code::Add>},
                                     {code::Multiply::kName, &merge_in<code::Multiply>},
                                     {code::Maximum::kName, &merge_in<code::Maximum>},
                                     {code::Minimum::kName, &merge_in<code::Minimum>},
                                     {code::LogicalOr::kName, &merge_in<code::LogicalOr>},
                                     {code::LogicalAnd::kName, &merge_in<code::LogicalAnd>}};
  for (const Known& known : kKnown) {
    if (known.name == function) {
      return known.merge(dtype);
    }
  }
  return nullptr;
}

bool is_parameter(const expr::Scalar& scalar, int32_t node, size_t position) {
  const auto* parameter = std::get_if<expr::Parameter>(&scalar.nodes[static_cast<size_t>(node)].op);
  return parameter != nullptr && static_cast<size_t>(parameter->position) == position;
}

}  // namespace

MergeRows merge_of_products(const expr::Monoid& monoid) {
  const std::vector<MergeRows> merges = merges_of(monoid);
  const bool is_sum =
      merges.size() == 1 && merges[0] == merge_by(code::Add::kName, monoid.state[0]);
  return is_sum ? visit_compute_type(
                      monoid.state[0],
                      []<class T>(std::type_identity<T>) -> MergeRows { return &add_products<T>; })
                : nullptr;
}

std::vector<MergeRows> merges_of(const expr::Monoid& monoid) {
  std::vector<MergeRows> merges;
  const size_t num_states = monoid.state.size();
  for (size_t entry = 0; entry < num_states; ++entry) {
    const expr::Scalar& combine = monoid.combine[entry];
    const auto* call = std::get_if<expr::Call>(&combine.nodes.back().op);
    const bool is_one_call = call != nullptr && call->arguments.size() == 2 &&
                             is_parameter(combine, call->arguments[0], entry) &&
                             is_parameter(combine, call->arguments[1], num_states + entry);
    const MergeRows merge = is_one_call ? merge_by(call->function, monoid.state[entry]) : nullptr;
    if (merge == nullptr) {
      return {};
    }
    merges.push_back(merge);
  }
  return merges;
}

}  // namespace tessera::kernels
