#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "frontend/einsum/expression/value_ranges.h"
#include "ir/einsum/graph.h"

namespace tessera::frontend {

/// Warnings of sums and running sums that may give another result than the sum: sums of integers of
/// up to 32 bits that may wrap (value_ranges.h says what is known of them), and of truth values,
/// whose sum is their `or`. Sums of 64 bits have no wider dtype, and there is no warning of them.
class SumWarnings {
 public:
  /// `cure` is the part of a warning that shows how to sum wider numbers.
  explicit SumWarnings(Diagnostics& warnings,
                       std::string cure = "convert what is summed: sum[...] i64(...), or f64(...)")
      : warnings_(warnings), cure_(std::move(cure)) {}

  /// Checks the vertices that were added since the last time; `last` is the place of the last one's
  /// reduction.
  void look_at_new(const einsum::Graph& graph, SourceSpan last);

 private:
  void look_at(const einsum::EinSum& einsum, const einsum::Vertex& vertex, SourceSpan span);
  void look_at(const einsum::Scan& scan, const einsum::Vertex& vertex, SourceSpan span);
  /// Checks a sum of `number` elements, each the body of the statement.
  void look_at_sum(const einsum::EinSum& einsum, double number, const einsum::Vertex& vertex,
                   SourceSpan span);

  Diagnostics& warnings_;
  std::string cure_;
  std::vector<ValueRange> ranges_;  // by vertex
};

}  // namespace tessera::frontend
