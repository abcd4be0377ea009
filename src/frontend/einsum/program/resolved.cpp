#include "frontend/einsum/program/resolved.h"

#include "base/overload.h"

namespace tessera::frontend {

const ResolvedParameter* parameter_at(const ResolvedNode& node) {
  using Found = const ResolvedParameter*;
  return std::visit(
      Overload{[](const ResolvedParameter& parameter) -> Found { return &parameter; },
               [](const Among<Literal, ResolvedRead, ResolvedIndex, ResolvedSize, ResolvedCall,
                              ResolvedCast, ResolvedReduction> auto&) -> Found { return nullptr; }},
      node.of);
}

const ResolvedReduction* reduction_at(const ResolvedNode& node) {
  using Found = const ResolvedReduction*;
  return std::visit(
      Overload{[](const ResolvedReduction& reduction) -> Found { return &reduction; },
               [](const Among<Literal, ResolvedRead, ResolvedIndex, ResolvedSize, ResolvedParameter,
                              ResolvedCall, ResolvedCast> auto&) -> Found { return nullptr; }},
      node.of);
}

}  // namespace tessera::frontend
