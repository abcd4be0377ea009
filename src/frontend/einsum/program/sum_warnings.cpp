#include "frontend/einsum/program/sum_warnings.h"

#include <string>

#include "base/overload.h"
#include "expr/function_ids.h"

namespace tessera::frontend {

namespace {

constexpr int64_t kBytesOfWide = 8;

void warn(Diagnostics& warnings, SourceSpan span, std::string message, std::string help) {
  Diagnostic warning{ErrorKind::user, span, std::move(message), std::move(help), {}};
  warning.severity = Severity::warning;
  warnings.add(std::move(warning));
}

}  // namespace

void SumWarnings::look_at(const einsum::EinSum& einsum, const einsum::Vertex& vertex,
                          SourceSpan span) {
  if (einsum.aggregate == expr::id::kSum) {
    look_at_sum(einsum, num_reduced(einsum), vertex, span);
  }
}

/// Checks a running sum: at its last position it has merged all elements. A scan by segments has
/// their ends beside the sum, under a name of its own.
void SumWarnings::look_at(const einsum::Scan& scan, const einsum::Vertex& vertex, SourceSpan span) {
  const std::string& name = scan.what.monoid.name;
  const std::string by_segments = std::string(expr::id::kSum) + ".";
  if (name != expr::id::kSum && name.substr(0, by_segments.size()) != by_segments) {
    return;
  }
  einsum::EinSum element;
  element.labels = scan.labels;
  element.out = scan.out;
  element.body = scan.bodies.front();
  const int64_t extent = scan.labels[static_cast<size_t>(scan.what.along)].extent;
  const int64_t most = extent - (scan.what.is_exclusive ? 1 : 0);
  look_at_sum(element, static_cast<double>(most), vertex, span);
}

void SumWarnings::look_at_sum(const einsum::EinSum& einsum, double number,
                              const einsum::Vertex& vertex, SourceSpan span) {
  const DType dtype = einsum.body.dtype();
  if (number <= 1) {
    return;
  }
  if (is_bool(dtype)) {
    warn(warnings_, span, "a sum of truth values is a truth value: whether any is true",
         "convert what is to be counted, sum[...] i64(...), or write any[...]");
    return;
  }
  if (!is_integer(dtype) || size_of(dtype) >= kBytesOfWide) {
    return;
  }
  const ValueRange sum = summed(range_of_body(einsum, operand_ranges(vertex, ranges_)), number);
  const ValueRange limits = limits_of(dtype);
  if (sum.lowest < limits.lowest || sum.highest > limits.highest) {
    warn(warnings_, span,
         fmt::format("this sum of {} values may wrap: its dtype {} ends at {}", number,
                     name_of(dtype), limits.highest),
         cure_);
  }
}

void SumWarnings::look_at_new(const einsum::Graph& graph, SourceSpan last) {
  while (ranges_.size() < graph.vertices.size()) {
    const einsum::VertexId id(static_cast<int64_t>(ranges_.size()));
    const einsum::Vertex& vertex = graph.at(id);
    const bool is_last = ranges_.size() + 1 == graph.vertices.size();
    const std::optional<SourcePlace> place = place_of(vertex.origin);
    const SourceSpan span = is_last || !place ? last : span_of(warnings_.source(), *place);
    std::visit(Overload{[](const Among<einsum::Input, einsum::Whole> auto&) {},
                        [&](const Among<einsum::EinSum, einsum::Scan> auto& op) {
                          look_at(op, vertex, span);
                        }},
               vertex.op);
    ranges_.push_back(range_of(graph, id, ranges_));
  }
}

}  // namespace tessera::frontend
