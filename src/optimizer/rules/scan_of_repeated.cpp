#include <fmt/format.h>

#include "base/refusal.h"
#include "expr/aggregate.h"
#include "expr/function_ids.h"
#include "expr/text/text.h"
#include "optimizer/einsum/rule.h"

/// cumsum[i] m = (index(i) + 1) * m and cummax[i] m = m, where m is the same at every position i:
/// how many positions are merged is known, so nothing waits for the one before it, and the
/// statement is element-wise, which others may be merged with. From the end size(i) - index(i) are
/// merged, of an exclusive scan one less.
///
/// Conditions, with what goes wrong without them:
/// - what is merged does without the label and its index(): a sum of x[i] is no multiple of one;
/// - a sum of numbers, or an aggregate that picks one of what it merges (min, max, any, all): a
/// product would be a power, which rounds otherwise, and a mean has a count beside its sum;
/// - no complex numbers: (3+0j) * (inf+0j) is inf+nanj, and three times inf+0j added inf+0j;
/// - inclusive, but for sums of integers: nothing is merged at the first position, and 0 * inf is
/// NaN, not 0, and the identity of a maximum is not m.
/// Integers wrap in a multiple as in the sum, also where the count itself wraps. Floats round once
/// instead of at every position, as if the sum was taken in the best order; infinities and NaN are
/// what they were, and as with every scan it is not said which zero a sum of -0 is.
namespace tessera::optimizer {

namespace {

using einsum::Vertex;

bool picks(const expr::Monoid& monoid, const expr::AggregateRegistry& aggregates) {
  return expr::is_registered(monoid, aggregates) && aggregates.find(monoid.name)->picks_argument;
}

/// Whether n merged values are a multiple of one, or why not.
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

/// How many positions a scan has merged, as a node.
int32_t num_merged(expr::ScalarBuilder& builder, const expr::Scan& scan, int64_t extent) {
  const int32_t position = builder.index_of(scan.along);
  const bool is_backward = scan.direction == expr::Scan::Direction::backward;
  const int64_t from = is_backward ? extent - (scan.is_exclusive ? 1 : 0) : 1;
  if (!is_backward && scan.is_exclusive) {
    return position;
  }
  const int32_t constant = builder.constant(from, DType::i64);
  return is_backward ? builder.call(expr::id::kSubtract, {constant, position}, DType::i64)
                     : builder.call(expr::id::kAdd, {position, constant}, DType::i64);
}

/// The statement that gives `state` at every position, read as the scan reads it.
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

Outcome apply(const Vertex& vertex, const RuleContext& around) {
  const auto* scan = std::get_if<einsum::Scan>(&vertex.op);
  if (scan == nullptr || scan->bodies.size() != 1 ||
      expr::mentions_label(scan->bodies[0], scan->what.along)) {
    return NotApplied{};
  }
  expr::ScalarBuilder builder;
  const int32_t repeated = builder.inline_scalar(scan->bodies[0], {});
  if (!scan->what.is_exclusive && picks(scan->what.monoid, around.context().aggregates)) {
    return Rewritten{{element_wise(vertex, builder, repeated)}};
  }
  if (const OrRefusal<Done> multiplies = may_multiply(scan->what); !multiplies) {
    return NotApplied{multiplies.reason()};
  }
  const DType dtype = scan->what.monoid.state[0];
  const int64_t extent = scan->labels[static_cast<size_t>(scan->what.along)].extent;
  const int32_t count = builder.cast(num_merged(builder, scan->what, extent), dtype);
  const int32_t state = expr::is_constant(builder.node(repeated), 1)
                            ? count
                            : builder.call(expr::id::kMultiply, {count, repeated}, dtype);
  return Rewritten{{element_wise(vertex, builder, state)}};
}

}  // namespace

void register_rule_scan_of_repeated(RuleRegistry& registry) {
  registry.add({"scan_of_repeated", "count what is the same at every position of a scan",
                Phase::normalize, [] { return VertexRewrite(&apply); }});
}

}  // namespace tessera::optimizer
