#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/refusal.h"
#include "expr/aggregate.h"
#include "expr/function_ids.h"
#include "expr/guard.h"
#include "expr/text/text.h"
#include "optimizer/einsum/part_sum.h"
#include "optimizer/einsum/product.h"
#include "optimizer/einsum/rule.h"
#include "optimizer/einsum/substitution.h"

/// sum[t,k] x[k] = n * sum[k] x[k], and max[t,k] x[k] = max[k] x[k], if the merged elements are the
/// same at all n positions of t. So a sum over windows of a constant, which read_through_copy reads
/// as that constant, is a multiple of it, and their mean is the constant itself.
///
/// Conditions, with what goes wrong without them:
/// - the body lacks the label and its index(): a sum of x[i+t] is no multiple of one element, nor
///   is one of c[i+t-1 pad 0] for a constant c, which has zeros at its ends;
/// - the label has a position: a sum over none is 0, and 0 * inf is NaN; a maximum has no value;
/// - a sum of numbers, a mean, or an aggregate that picks one of the merged numbers: a product
///   would be a power, which rounds otherwise, and argmax[k,t] is a position, which counts those of
///   t;
/// - no sum of complex numbers: (3+0j) * (inf+0j) is inf+nanj, and three times inf+0j added inf+0j;
/// - a sum over further labels that is its state: one of f16 is rounded where it is stored, and
/// would be multiplied after that;
/// - without further labels, all positions are merged: an aggregate with a condition that may leave
///   some out remains.
/// Integers wrap in a multiple like in the sum. Floats round once instead of at every position, as
/// in the best order of the sum, and a mean overflows if its elements do.
namespace tessera::optimizer::rule_aggregate_of_repeated {

namespace {

using einsum::EinSum;
using einsum::Vertex;
using expr::LabelNumber;

bool is_mean(const EinSum& einsum, const expr::AggregateRegistry& aggregates) {
  const expr::BoundAggregate mean = aggregates.find(expr::id::kMean)->bind(einsum.body.dtype());
  const expr::BoundAggregate& own = *einsum.reduction;
  return own.monoid == mean.monoid && own.lift == mean.lift && own.finalise == mean.finalise;
}

bool picks(const expr::Monoid& monoid, const expr::AggregateRegistry& aggregates) {
  return monoid.state.size() == 1 && expr::is_registered(monoid, aggregates) &&
         aggregates.find(monoid.name)->picks_argument;
}

/// The labels that an aggregate's body lacks, and all others.
struct Over {
  std::vector<LabelNumber> repeated;
  std::vector<LabelNumber> rest;
};

Over over_of(const EinSum& einsum) {
  Over over;
  for (const LabelNumber label : einsum.over) {
    (expr::mentions_label(einsum.body, label) ? over.rest : over.repeated).push_back(label);
  }
  return over;
}

/// A count of positions of several labels, which may need more than 64 bits. Integers wrap in it
/// like in their sum, floats take the nearest.
using Positions = __int128;

std::optional<Positions> num_positions(const EinSum& einsum,
                                       const std::vector<LabelNumber>& labels) {
  Positions positions = 1;
  for (const LabelNumber label : labels) {
    const Positions extent = einsum.labels[static_cast<size_t>(label)].extent;
    if (__builtin_mul_overflow(positions, extent, &positions)) {
      return std::nullopt;
    }
  }
  return positions;
}

/// Returns how often the state of one position counts, or why the law does not hold.
OrRefusal<Positions> times_counted(const EinSum& einsum, const Over& over,
                                   const expr::AggregateRegistry& aggregates) {
  const expr::Monoid& monoid = einsum.reduction->monoid;
  const std::optional<Positions> positions = num_positions(einsum, over.repeated);
  if (!positions) {
    return Refusal{"the positions are too many to count"};
  }
  if (*positions == 0) {
    return Refusal{"nothing is merged"};
  }
  if (over.rest.empty() && expr::guard_of(einsum.body)) {
    return Refusal{"a condition leaves positions out"};
  }
  if (picks(monoid, aggregates) || is_mean(einsum, aggregates)) {
    return Positions{1};
  }
  const DType dtype = monoid.state.front();
  if (expr::merging_function(monoid) != expr::id::kAdd || is_bool(dtype)) {
    return Refusal{fmt::format("{} of several is no multiple of one", monoid.name)};
  }
  if (is_complex(dtype)) {
    return Refusal{fmt::format("a multiple of an infinite {} is NaN", name_of(dtype))};
  }
  if (!over.rest.empty() && !expr::is_plain(*einsum.reduction)) {
    return Refusal{"the rest of the sum is rounded where it is stored"};
  }
  return *positions;
}

/// Returns the aggregate over the other labels alone.
EinSum over_rest(const EinSum& einsum, const Over& over) {
  EinSum made = einsum;
  made.labels.clear();
  std::vector<LabelNumber> numbers;
  for (size_t label = 0; label < einsum.labels.size(); ++label) {
    const bool is_repeated = std::find(over.repeated.begin(), over.repeated.end(),
                                       static_cast<LabelNumber>(label)) != over.repeated.end();
    numbers.push_back(is_repeated ? -1 : static_cast<LabelNumber>(made.labels.size()));
    if (!is_repeated) {
      made.labels.push_back(einsum.labels[label]);
    }
  }
  const auto renumber = [&](LabelNumber& label) { label = numbers[static_cast<size_t>(label)]; };
  made.over = over.rest;
  std::for_each(made.over.begin(), made.over.end(), renumber);
  std::for_each(made.out.begin(), made.out.end(), renumber);
  for (expr::Node& node : made.body.nodes) {
    expr::for_each_label(node, renumber);
  }
  return made;
}

/// Makes `times` times a number of that dtype.
int32_t multiple(expr::ScalarBuilder& builder, int32_t number, Positions times, DType dtype) {
  const int32_t count =
      is_integer(dtype)
          ? builder.cast(builder.constant(static_cast<int64_t>(times), DType::i64), dtype)
          : builder.constant(static_cast<double>(times), dtype);
  return times == 1 ? number : builder.call(expr::id::kMultiply, {count, number}, dtype);
}

/// Makes an aggregate of one position, with its state taken `times` times. The mean of one is its
/// sum.
EinSum of_one(const EinSum& einsum, Positions times) {
  EinSum made = over_results(einsum);
  const std::vector<LabelNumber> numbers = numbers_in_results(einsum);
  expr::Scalar body = einsum.body;
  for (expr::Node& node : body.nodes) {
    expr::for_each_label(node,
                         [&](LabelNumber& label) { label = numbers[static_cast<size_t>(label)]; });
  }
  expr::ScalarBuilder builder;
  const int32_t element = builder.inline_scalar(body, {});
  const expr::Scalar& lift = einsum.reduction->lift.front();
  const int32_t first = builder.constant(int64_t{0}, DType::i64);
  const int32_t state = builder.inline_scalar(lift, {element, first});
  const int32_t merged = multiple(builder, state, times, lift.dtype());
  const bool is_mean = einsum.reduction->lift.size() > 1;
  made.body = builder.finish(is_mean ? builder.cast(merged, einsum.reduction->result())
                                     : builder.inline_scalar(einsum.reduction->finalise, {merged}));
  return made;
}

/// Makes the results of another vertex, each `times` times.
EinSum multiples_of(const EinSum& einsum, Positions times) {
  EinSum made = over_results(einsum);
  const DType dtype = einsum.reduction->result();
  expr::ScalarBuilder builder;
  const int32_t rest = builder.access(at_result(made, 0), dtype);
  made.body = builder.finish(multiple(builder, rest, times, dtype));
  return made;
}

Outcome apply(const Vertex& vertex, RuleContext& around) {
  const auto* einsum = std::get_if<EinSum>(&vertex.op);
  if (einsum == nullptr || !einsum->reduction) {
    return NotApplied{};
  }
  const Over over = over_of(*einsum);
  if (over.repeated.empty()) {
    return NotApplied{};
  }
  const OrRefusal<Positions> times = times_counted(*einsum, over, around.context().aggregates);
  if (!times) {
    return NotApplied{times.reason()};
  }
  Vertex made = vertex;
  if (over.rest.empty()) {
    made.op = of_one(*einsum, *times);
    return Rewritten{{std::move(made)}};
  }
  made.op = over_rest(*einsum, over);
  if (*times == 1) {
    return Rewritten{{std::move(made)}};
  }
  Vertex multiples = vertex;
  multiples.op = multiples_of(*einsum, *times);
  multiples.operands = {einsum::VertexId(static_cast<int64_t>(around.graph().vertices.size()))};
  made.name = around.fresh_name(vertex.name);
  return Rewritten{{std::move(made), std::move(multiples)}};
}

}  // namespace

void register_rule(RuleRegistry& registry) {
  registry.add({"aggregate_of_repeated", "count what is the same at every position merged",
                Phase::normalize, [] { return VertexRewrite(&apply); }});
}

}  // namespace tessera::optimizer::rule_aggregate_of_repeated
