#include "frontend/einsum/program/language_calls.h"

#include <array>

namespace tessera::frontend {

std::span<const LanguageCall> language_calls() {
  static constexpr auto kCalls = std::to_array<LanguageCall>({
      {kConcat, "concat[i](x, y, ...)", "its arguments one after the other along i", "concatenate",
       "Z[i] = concat[i](0, X[i], 2 * Y[i])"},
      {kFloating, "floating(x)", "integers and truth values as f64, what is a float stays", "",
       "Y[i] = floating(X[i])"},
      {kIndex, "index(i)", "the position along a label, as i64", "arange",
       "Y[i] = X[i] * index(i)"},
      {kKeep, "keep[i where c](x)", "the positions of i for which c holds; all of a right side",
       "compress", "Z[i] = keep[i where X[i] > 0] X[i]"},
      {kSize, "size(i)", "the extent of a label", "size", "Y[i] = X[i] / size(i)"},
      {kMasked, "masked(x, mask)", "x where the mask is true, else -inf; a mask of floats is added",
       "", "Y[s,t] = masked(X[s,t], index(t) <= index(s))"},
      {"max", "max(x, y, ...)", "the largest of its arguments", "maximum",
       "Z[i] = max(X[i], Y[i], 0)"},
      {"min", "min(x, y, ...)", "the smallest of its arguments", "minimum",
       "Z[i] = min(X[i], Y[i], 1)"},
  });
  return kCalls;
}

}  // namespace tessera::frontend
