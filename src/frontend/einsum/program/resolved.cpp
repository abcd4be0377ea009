#include "frontend/einsum/program/resolved.h"

#include "base/overload.h"

namespace tessera::frontend {

namespace {

/// Returns the operation of a node if it is of one kind, else null.
template <class Kind, class... Others>
const Kind* kind_at(const ResolvedNode& node) {
  return std::visit(Overload{[](const Kind& kind) { return &kind; },
                             [](const Among<Others...> auto&) -> const Kind* { return nullptr; }},
                    node.of);
}

}  // namespace

const ResolvedParameter* parameter_at(const ResolvedNode& node) {
  return kind_at<ResolvedParameter, Literal, ResolvedRead, ResolvedIndex, ResolvedSize,
                 ResolvedCall, ResolvedCast, ResolvedReduction, ResolvedScan, ResolvedWhole,
                 ResolvedConcat>(node);
}

const ResolvedRead* read_at(const ResolvedNode& node) {
  return kind_at<ResolvedRead, Literal, ResolvedIndex, ResolvedSize, ResolvedParameter,
                 ResolvedCall, ResolvedCast, ResolvedReduction, ResolvedScan, ResolvedWhole,
                 ResolvedConcat>(node);
}

const ResolvedReduction* reduction_at(const ResolvedNode& node) {
  return kind_at<ResolvedReduction, Literal, ResolvedRead, ResolvedIndex, ResolvedSize,
                 ResolvedParameter, ResolvedCall, ResolvedCast, ResolvedScan, ResolvedWhole,
                 ResolvedConcat>(node);
}

const ResolvedScan* scan_at(const ResolvedNode& node) {
  return kind_at<ResolvedScan, Literal, ResolvedRead, ResolvedIndex, ResolvedSize,
                 ResolvedParameter, ResolvedCall, ResolvedCast, ResolvedReduction, ResolvedWhole,
                 ResolvedConcat>(node);
}

const ResolvedWhole* whole_at(const ResolvedNode& node) {
  return kind_at<ResolvedWhole, Literal, ResolvedRead, ResolvedIndex, ResolvedSize,
                 ResolvedParameter, ResolvedCall, ResolvedCast, ResolvedReduction, ResolvedScan,
                 ResolvedConcat>(node);
}

const ResolvedConcat* concat_at(const ResolvedNode& node) {
  return kind_at<ResolvedConcat, Literal, ResolvedRead, ResolvedIndex, ResolvedSize,
                 ResolvedParameter, ResolvedCall, ResolvedCast, ResolvedReduction, ResolvedScan,
                 ResolvedWhole>(node);
}

}  // namespace tessera::frontend
