#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "frontend/einsum/expression/value_ranges.h"
#include "ir/einsum/graph.h"

namespace tessera::frontend {

/// Warns of sums that may give something else than a sum: running ones too: of integers of up to 32
/// bits that may wrap (value_ranges.h says what is known of them), and of truth values, whose sum
/// is their `or`. Sums of 64 bits have no wider dtype to go to, and nothing is said of them.
class SumWarnings {
 public:
  /// `cure` is what a warning says of the way to a sum of wider numbers.
  explicit SumWarnings(Diagnostics& warnings,
                       std::string cure = "convert what is summed: sum[...] i64(...), or f64(...)")
      : warnings_(warnings), cure_(std::move(cure)) {}

  /// Looks at the vertices that were added since the last time; `last` is where the reduction of
  /// the last of them is written.
  void look_at_new(const einsum::Graph& graph, SourceSpan last);

 private:
  void look_at(const einsum::EinSum& einsum, const einsum::Vertex& vertex, SourceSpan span);
  void look_at(const einsum::Scan& scan, const einsum::Vertex& vertex, SourceSpan span);
  /// Of so many elements, each the body of the statement.
  void look_at_sum(const einsum::EinSum& einsum, double number, const einsum::Vertex& vertex,
                   SourceSpan span);

  Diagnostics& warnings_;
  std::string cure_;
  std::vector<ValueRange> ranges_;  // by vertex
};

}  // namespace tessera::frontend
