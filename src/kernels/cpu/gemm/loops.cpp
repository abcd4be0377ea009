#include "kernels/cpu/gemm/loops.h"

#include <algorithm>
#include <limits>

namespace tessera::kernels {

namespace {

using Kind = GemmDim::Kind;

/// Merges neighbours of one kind (outermost first) that every operand walks as one. Returns the
/// number left.
size_t merge(std::span<GemmDim> dims) {
  size_t kept = 0;
  for (const GemmDim& dim : dims) {
    if (dim.length == 1) {
      continue;
    }
    GemmDim* const outer = kept > 0 ? &dims[kept - 1] : nullptr;
    if (outer != nullptr && outer->kind == dim.kind && outer->a == dim.a * dim.length &&
        outer->b == dim.b * dim.length && outer->c == dim.c * dim.length) {
      const int64_t length = outer->length * dim.length;
      *outer = dim;
      outer->length = length;
    } else {
      dims[kept++] = dim;
    }
  }
  return kept;
}

/// True if a matrix has neighbours along its rows or its columns and a step between them that the
/// library can hold.
bool is_matrix(int64_t rows, int64_t row_step, int64_t columns, int64_t column_step) {
  constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();
  const auto goes = [&](int64_t inner, int64_t inner_step, int64_t outer, int64_t outer_step) {
    return (inner == 1 || inner_step == 1) &&
           (outer == 1 || (outer_step >= inner && outer_step <= kLargest));
  };
  return goes(columns, column_step, rows, row_step) || goes(rows, row_step, columns, column_step);
}

bool is_callable(const GemmDim& m, const GemmDim& n, const GemmDim& k) {
  const bool a = is_matrix(m.length, m.a, k.length, k.a);
  const bool b = is_matrix(k.length, k.b, n.length, n.b);
  if (n.length == 1) {
    return m.length == 1 || a;
  }
  return b && (m.length == 1 || (a && is_matrix(m.length, m.c, n.length, n.c)));
}

/// Calls body for every dimension of a kind, and for the absent one of length 1.
template <class Body>
void for_each_of(std::span<const GemmDim> dims, Kind kind, const Body& body) {
  body(GemmDim{kind}, -1);
  for (size_t number = 0; number < dims.size(); ++number) {
    if (dims[number].kind == kind) {
      body(dims[number], static_cast<int>(number));
    }
  }
}

}  // namespace

int64_t GemmLoops::num_calls() const {
  int64_t calls = 1;
  for (int number = 0; number < num_loops; ++number) {
    calls *= loop[static_cast<size_t>(number)].length;
  }
  return calls;
}

GemmLoops plan_gemm(std::span<GemmDim> dims, bool& found) noexcept {
  const std::span<const GemmDim> merged = dims.first(merge(dims));
  GemmLoops loops;
  std::array<int, 3> chosen = {-1, -1, -1};
  double most = 0;
  for_each_of(merged, Kind::m, [&](const GemmDim& m, int at_m) {
    for_each_of(merged, Kind::n, [&](const GemmDim& n, int at_n) {
      for_each_of(merged, Kind::k, [&](const GemmDim& k, int at_k) {
        const double work = static_cast<double>(m.length) * static_cast<double>(n.length) *
                            static_cast<double>(k.length);
        if (work > most && is_callable(m, n, k)) {
          most = work;
          chosen = {at_m, at_n, at_k};
          loops.m = m;
          loops.n = n;
          loops.k = k;
        }
      });
    });
  });
  found = most > 0;
  for (const bool summed : {false, true}) {
    for (size_t number = 0; number < merged.size(); ++number) {
      const bool is_in_call =
          std::find(chosen.begin(), chosen.end(), static_cast<int>(number)) != chosen.end();
      if (!is_in_call && (merged[number].kind == Kind::k) == summed) {
        loops.loop[static_cast<size_t>(loops.num_loops++)] = merged[number];
      }
    }
  }
  return loops;
}

}  // namespace tessera::kernels
