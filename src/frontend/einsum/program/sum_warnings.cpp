#include "frontend/einsum/program/sum_warnings.h"

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
  const DType dtype = einsum.body.dtype();
  if (einsum.aggregate != expr::id::kSum || num_reduced(einsum) <= 1) {
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
  const ValueRange sum =
      summed(range_of_body(einsum, operand_ranges(vertex, ranges_)), num_reduced(einsum));
  const ValueRange limits = limits_of(dtype);
  if (sum.lowest < limits.lowest || sum.highest > limits.highest) {
    warn(warnings_, span,
         fmt::format("this sum of {} values may wrap: its dtype {} ends at {}", num_reduced(einsum),
                     name_of(dtype), limits.highest),
         "convert what is summed: sum[...] i64(...), or f64(...)");
  }
}

void SumWarnings::look_at_new(const einsum::Graph& graph, SourceSpan last) {
  while (ranges_.size() < graph.vertices.size()) {
    const einsum::VertexId id(static_cast<int64_t>(ranges_.size()));
    const einsum::Vertex& vertex = graph.at(id);
    const bool is_last = ranges_.size() + 1 == graph.vertices.size();
    const std::optional<SourcePlace> place = place_of(vertex.origin);
    const SourceSpan span = is_last || !place ? last : span_of(warnings_.source(), *place);
    std::visit(Overload{[](const Among<einsum::Input, einsum::Scan, einsum::Whole> auto&) {},
                        [&](const einsum::EinSum& einsum) { look_at(einsum, vertex, span); }},
               vertex.op);
    ranges_.push_back(range_of(graph, id, ranges_));
  }
}

}  // namespace tessera::frontend
