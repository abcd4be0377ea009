#include "optimizer/einsum/rule.h"

/// A vertex that no output needs is removed, and with it everything that only it reads.
///
/// Condition: it is no input. An input is part of the program's interface: a caller who binds
/// `input B[i]` must not be told that there is no B because no statement reads it.
namespace tessera::optimizer::rule_remove_unused {

namespace {

Outcome apply(const einsum::Vertex& vertex, const RuleContext& around) {
  if (around.is_needed()) {
    return NotApplied{};
  }
  if (std::holds_alternative<einsum::Input>(vertex.op)) {
    return NotApplied{"inputs stay"};
  }
  return Removed{};
}

}  // namespace

void register_rule(RuleRegistry& registry) {
  registry.add({"remove_unused", "leave out what no output needs", Phase::normalize,
                [] { return VertexRewrite(&apply); }});
}

}  // namespace tessera::optimizer::rule_remove_unused
