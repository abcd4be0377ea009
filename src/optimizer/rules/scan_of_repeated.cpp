#include <algorithm>

#include <fmt/format.h>

#include "base/refusal.h"
#include "expr/aggregate.h"
#include "expr/function_ids.h"
#include "expr/text/text.h"
#include "optimizer/einsum/rule.h"

/// cumsum[i] m = (index(i) + 1) * m and cummax[i] m = m, if m is the same at every position i: the
/// number of merged positions is known, so no position waits for the one before it. The statement
/// is element-wise, so others may be merged with it. From the end size(i) - index(i) are merged; an
/// exclusive scan merges one less. The counts are a tensor if another label uses each again:
/// converting an index to a float takes longer than the product.
///
/// Conditions, with what goes wrong without them:
/// - the body lacks the label and its index(): a sum of x[i] is no multiple of one;
/// - a sum of numbers, or an aggregate that picks one of them (min, max, any, all): a product would
///   be a power, which rounds otherwise, and a mean has a count beside its sum;
/// - no complex numbers: (3+0j) * (inf+0j) is inf+nanj, and three times inf+0j added inf+0j;
/// - inclusive, except for sums of integers: nothing is merged at the first position, 0 * inf is
///   NaN, not 0, and the identity of a maximum is not m.
/// Integers wrap in a multiple like in the sum, even if the count itself wraps. Floats round once
/// instead of at every position, as in the best order of the sum. Infinities and NaN stay the same,
/// and like in every scan, a sum of -0 may be either zero.
namespace tessera::optimizer::rule_scan_of_repeated {

namespace {

using einsum::Vertex;
using expr::LabelNumber;

bool picks(const expr::Monoid& monoid, const expr::AggregateRegistry& aggregates) {
  return expr::is_registered(monoid, aggregates) && aggregates.find(monoid.name)->picks_argument;
}

/// Checks that n merged values are a multiple of one.
OrRefusal<Done> may_multiply(const expr::Scan& scan) {
  const DType dtype = scan.monoid.state[0];
  if (expr::merging_function(scan.monoid) != expr::id::kAdd || is_bool(dtype)) {
    return Refusal{fmt::format("{} of several is no multiple of one", scan.monoid.name)};
  }
  if (is_complex(dtype)) {
    return Refusal{fmt::format("a multiple of an infinite {} is NaN", name_of(dtype))};
  }
  if (scan.is_exclusive && !is_integer(dtype)) {
    return Refusal{fmt::format("0 times an infinite {} is NaN", name_of(dtype))};
  }
  return Done{};
}

/// Makes the number of merged positions of a scan, as a node of the state's dtype.
int32_t num_merged(expr::ScalarBuilder& builder, const expr::Scan& scan, LabelNumber along,
                   int64_t extent) {
  int32_t count = builder.index_of(along);
  if (scan.direction == expr::Scan::Direction::backward) {
    const int32_t all = builder.constant(extent - (scan.is_exclusive ? 1 : 0), DType::i64);
    count = builder.call(expr::id::kSubtract, {all, count}, DType::i64);
  } else if (!scan.is_exclusive) {
    const int32_t one = builder.constant(int64_t{1}, DType::i64);
    count = builder.call(expr::id::kAdd, {count, one}, DType::i64);
  }
  return builder.cast(count, scan.monoid.state[0]);
}

const expr::LabelDecl& label_along(const einsum::Scan& scan) {
  return scan.labels[static_cast<size_t>(scan.what.along)];
}

/// Makes the number of merged positions, as a tensor along the label.
Vertex count_vertex(const Vertex& vertex, std::string name) {
  const auto& scan = std::get<einsum::Scan>(vertex.op);
  const expr::LabelDecl& label = label_along(scan);
  expr::ScalarBuilder builder;
  einsum::EinSum einsum;
  einsum.labels = {label};
  einsum.out = {0};
  einsum.body = builder.finish(num_merged(builder, scan.what, 0, label.extent));
  Vertex made = vertex;
  made.op = std::move(einsum);
  made.operands.clear();
  made.labels = {label.name};
  made.type = {scan.what.monoid.state[0], {label.extent}};
  made.name = std::move(name);
  return made;
}

/// True if a count is used at several positions of other labels.
bool counts_again(const einsum::Scan& scan) {
  return std::any_of(scan.out.begin(), scan.out.end(), [&](LabelNumber label) {
    return label != scan.what.along && scan.labels[static_cast<size_t>(label)].extent != 1;
  });
}

/// Makes the statement with `state` at every position, finalised like the scan's.
Vertex element_wise(const Vertex& vertex, expr::ScalarBuilder& builder, int32_t state) {
  const auto& scan = std::get<einsum::Scan>(vertex.op);
  einsum::EinSum einsum;
  einsum.labels = scan.labels;
  einsum.out = scan.out;
  einsum.body = builder.finish(builder.inline_scalar(scan.result, {state}));
  Vertex made = vertex;
  made.op = std::move(einsum);
  return made;
}

/// Makes the multiples, with the counts in a vertex of their own if each is used again.
Rewritten multiples(const Vertex& vertex, RuleContext& around) {
  const auto& scan = std::get<einsum::Scan>(vertex.op);
  const DType dtype = scan.what.monoid.state[0];
  const bool is_stored = counts_again(scan);
  Vertex reader = vertex;
  expr::ScalarBuilder builder;
  int32_t count = -1;
  if (is_stored) {
    const auto operand = static_cast<int32_t>(reader.operands.size());
    reader.operands.emplace_back(static_cast<int64_t>(around.graph().vertices.size()));
    count = builder.access({operand, {expr::plain(scan.what.along)}}, dtype);
  } else {
    count = num_merged(builder, scan.what, scan.what.along, label_along(scan).extent);
  }
  const int32_t repeated = builder.inline_scalar(scan.bodies[0], {});
  const int32_t state = expr::is_constant(builder.node(repeated), 1)
                            ? count
                            : builder.call(expr::id::kMultiply, {count, repeated}, dtype);
  Rewritten made;
  if (is_stored) {
    made.nodes.push_back(count_vertex(vertex, around.fresh_name(vertex.name)));
  }
  made.nodes.push_back(element_wise(reader, builder, state));
  return made;
}

Outcome apply(const Vertex& vertex, RuleContext& around) {
  const auto* scan = std::get_if<einsum::Scan>(&vertex.op);
  if (scan == nullptr || scan->bodies.size() != 1 ||
      expr::mentions_label(scan->bodies[0], scan->what.along)) {
    return NotApplied{};
  }
  if (!scan->what.is_exclusive && picks(scan->what.monoid, around.context().aggregates)) {
    expr::ScalarBuilder builder;
    const int32_t repeated = builder.inline_scalar(scan->bodies[0], {});
    return Rewritten{{element_wise(vertex, builder, repeated)}};
  }
  if (const OrRefusal<Done> multiplies = may_multiply(scan->what); !multiplies) {
    return NotApplied{multiplies.reason()};
  }
  return multiples(vertex, around);
}

}  // namespace

void register_rule(RuleRegistry& registry) {
  registry.add({"scan_of_repeated", "count what is the same at every position of a scan",
                Phase::normalize, [] { return VertexRewrite(&apply); }});
}

}  // namespace tessera::optimizer::rule_scan_of_repeated
