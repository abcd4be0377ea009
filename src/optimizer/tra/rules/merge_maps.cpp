#include <cmath>
#include <utility>

#include "optimizer/tra/call_costs.h"
#include "optimizer/tra/composed_kernel.h"
#include "optimizer/tra/rule.h"

namespace tessera::optimizer::rule_merge_maps {

namespace {

const Shared<expr::TileProgram>* kernel_of(const tra::Op& op) {
  if (const auto* join = std::get_if<tra::Join>(&op)) {
    return join->source ? nullptr : &join->kernel;
  }
  const auto* transform = std::get_if<tra::Transform>(&op);
  return transform == nullptr ? nullptr : &transform->kernel;
}

/// R1-2 and R1-7 (TRA §5), the kernels of maps of arity one: map_g(map_f(R)) = map_{g after f}(R)
/// and map_g(join_K(L, R)) = join_{g after K}(L, R): the value between is not stored as a tile.
///
/// Conditions:
/// - only the map reads the other: else it would be computed twice;
/// - the one call takes no longer than the two: BLAS does not run a product with a statement behind
///   it. (Statements of programs are joins, which the pass `fuse` fuses under the same condition.)
RelationOutcome apply(const tra::Node& node, const RelationRuleContext& around) {
  const auto* transform = std::get_if<tra::Transform>(&node.op);
  if (transform == nullptr) {
    return NotApplied{};
  }
  const tra::Node& mapped = around.graph().at(transform->input);
  const Shared<expr::TileProgram>* first = kernel_of(mapped.op);
  if (first == nullptr) {
    return NotApplied{"what it maps is neither a map nor a join of tiles"};
  }
  if (around.num_readers(transform->input) > 1) {
    return NotApplied{"others read what it maps"};
  }
  const Shared<expr::TileProgram> both = composed_kernel(**first, *transform->kernel);
  CallCosts costs(around.context());
  const auto seconds = [&](const Shared<expr::TileProgram>& program) {
    return costs.seconds(program, largest_call(*program, node.type.key));
  };
  const double apart = seconds(*first) + seconds(transform->kernel);
  const double together = seconds(both);
  if (!std::isfinite(together) || together > apart) {
    return NotApplied{"one call would take longer than two"};
  }
  tra::Node merged = mapped;
  merged.type = node.type;
  merged.origin = node.origin;
  if (auto* join = std::get_if<tra::Join>(&merged.op)) {
    join->kernel = both;
  } else {
    std::get<tra::Transform>(merged.op).kernel = both;
  }
  return RelationRewritten{{std::move(merged)}};
}

}  // namespace

void register_rule(RelationRuleRegistry& registry) {
  registry.add({"merge_maps", "compute a map in the call of what it maps", Phase::normalize,
                [] { return RelationRewrite(&apply); },
                "R1-2 and R1-7 of TRA §5: map_g(map_f(R)) = map_{g after f}(R) and map_g(join_K(L, "
                "R)) = join_{g after K}(L, R), if nothing else reads the inner one, and one call "
                "takes no longer than two"});
}

}  // namespace tessera::optimizer::rule_merge_maps
