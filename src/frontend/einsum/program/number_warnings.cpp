#include "frontend/einsum/program/number_warnings.h"

#include <cmath>

#include <fmt/format.h>

namespace tessera::frontend {

namespace {

/// Returns the narrowest dtype that holds the number and what stands beside it.
DType holding(const LostNumber& lost) {
  if (is_complex(lost.dtype)) {
    return DType::c128;
  }
  return is_lost(lost.number, DType::f32) ? DType::f64 : DType::f32;
}

std::string describe(const LostNumber& lost) {
  const bool is_small = std::abs(literal_as<std::complex<double>>(lost.number)) < 1;
  return fmt::format(
      "{} becomes {} in {}, {}", to_string(lost.number), is_small ? "0" : "infinite",
      name_of(lost.dtype),
      is_small ? "whose smallest number is larger" : "whose largest number is smaller");
}

bool is_within(SourceSpan inner, SourceSpan outer) {
  return outer.begin <= inner.begin && inner.end <= outer.end;
}

}  // namespace

std::string NumberWarnings::text_between(int64_t begin, int64_t end) const {
  return warnings_.source().text.substr(static_cast<size_t>(begin),
                                        static_cast<size_t>(end - begin));
}

void NumberWarnings::add(const LostNumber& lost, const ResolvedNode& node,
                         const std::optional<NumberPlace>& place) {
  const std::string_view dtype = name_of(holding(lost));
  // The text of a macro's body is elsewhere, so it cannot be quoted.
  const bool is_written = place && node.macro.empty() && is_within(place->number, node.span) &&
                          is_within(place->beside, node.span) && place->number != place->beside;
  const std::string cure =
      is_written ? fmt::format("{}{}({}){}", text_between(node.span.begin, place->beside.begin),
                               dtype, text_between(place->beside.begin, place->beside.end),
                               text_between(place->beside.end, node.span.end))
                 : fmt::format("{}(...)", dtype);
  Diagnostic warning{ErrorKind::user,
                     is_written ? place->number : node.span,
                     describe(lost),
                     fmt::format("compute in {}, which holds it: {}", dtype, cure),
                     {}};
  warning.severity = Severity::warning;
  warnings_.add(std::move(warning));
}

}  // namespace tessera::frontend
