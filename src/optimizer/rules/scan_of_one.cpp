#include "optimizer/einsum/rule.h"
#include "optimizer/einsum/substitution.h"

/// cumsum[i] x[i] = x[i] if i has one position, and the identity if the scan is exclusive; likewise
/// for every operator, because its identity changes nothing. The statement is element-wise, so
/// others may be merged with it.
///
/// Conditions, with what goes wrong without them:
/// - one position: with two, something is merged;
/// - the result is made of the whole state: for cumsumprod[i](y[i], w[i]) it is y[i], one number of
///   two, not the row (y[i], w[i]).
/// Like in every scan, a sum of -0 may be either zero.
namespace tessera::optimizer::rule_scan_of_one {

namespace {

using einsum::Vertex;

/// Returns the states merged at the one position, as nodes.
std::vector<int32_t> states_of(expr::ScalarBuilder& builder, const einsum::Scan& scan) {
  std::vector<int32_t> states;
  for (size_t entry = 0; entry < scan.bodies.size(); ++entry) {
    const expr::Monoid& monoid = scan.what.monoid;
    states.push_back(scan.what.is_exclusive
                         ? builder.constant(monoid.identity[entry], monoid.state[entry])
                         : builder.inline_scalar(scan.bodies[entry], {}));
  }
  return states;
}

Outcome apply(const Vertex& vertex, const RuleContext&) {
  const auto* scan = std::get_if<einsum::Scan>(&vertex.op);
  if (scan == nullptr || scan->labels[static_cast<size_t>(scan->what.along)].extent != 1) {
    return NotApplied{};
  }
  expr::ScalarBuilder builder;
  einsum::EinSum einsum;
  einsum.labels = scan->labels;
  einsum.out = scan->out;
  einsum.body = builder.finish(builder.inline_scalar(scan->result, states_of(builder, *scan)));
  Vertex made = vertex;
  made.operands = take_read_operands(vertex.operands, einsum.body);
  made.op = std::move(einsum);
  return Rewritten{{std::move(made)}};
}

}  // namespace

void register_rule(RuleRegistry& registry) {
  registry.add({"scan_of_one", "give the one position of a scan that has no more", Phase::normalize,
                [] { return VertexRewrite(&apply); }});
}

}  // namespace tessera::optimizer::rule_scan_of_one
