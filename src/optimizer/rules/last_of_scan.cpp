#include <algorithm>

#include <fmt/format.h>

#include "base/refusal.h"
#include "expr/aggregate.h"
#include "expr/reduction_order.h"
#include "expr/text/text.h"
#include "optimizer/einsum/product.h"
#include "optimizer/einsum/rule.h"
#include "optimizer/einsum/scalar_rewrite.h"

/// c[n-1] = ⊕[i] x[i] for c[i] = cum⊕[i] x[i] of n positions, and c[0] for a scan from the last to
/// the first: if nothing else of a scan is read, it becomes the aggregate, which has one element
/// instead of n. So a running maximum read at its end is the maximum. One row is x[0] either way.
///
/// Conditions, with what goes wrong without them:
/// - one reader, which reads the last position alone: c[i] / c[n-1] needs all of c, and the sum
/// would be computed once more;
/// - the scan is inclusive: an exclusive one lacks the last element at the last position;
/// - its state is one number, merged in any order: with several the element that they are lifted
///   from is unknown, and only scans merge states that do not commute;
/// - in any order it stays in the range of its type: after a 0 all running products are 0, but a
///   part of the product that overflows makes it NaN;
/// - its result is its state alone: if it restarts by segments, the last position has the last
///   segment;
/// - no rounding is lost: a sum of f16 is rounded where it is stored, and the reader's body would
///   go on in f32.
/// Floats: the sum is associated in another way, like in every order of a sum. NaN and infinities
/// are merged like in the scan; a maximum of -0 and 0 may be either.
namespace tessera::optimizer::rule_last_of_scan {

namespace {

using einsum::EinSum;
using einsum::Vertex;
using expr::LabelNumber;

/// Returns the mode of the result along which a scan runs.
size_t mode_along(const einsum::Scan& scan) {
  return static_cast<size_t>(std::find(scan.out.begin(), scan.out.end(), scan.what.along) -
                             scan.out.begin());
}

/// Checks that a scan's last state is an aggregate; a refusal goes on after "c".
OrRefusal<Done> ends_as_aggregate(const einsum::Scan& scan) {
  const expr::Monoid& monoid = scan.what.monoid;
  if (scan.what.is_exclusive) {
    return Refusal{"is exclusive: its last position lacks the last element"};
  }
  if (monoid.state.size() != 1 || !monoid.is_commutative) {
    return Refusal{fmt::format("merges by {}, which is no aggregate of one number", monoid.name)};
  }
  if (expr::may_lose_range(monoid)) {
    return Refusal{fmt::format("merges by {}, which in another order may overflow", monoid.name)};
  }
  if (!expr::accesses_of(scan.result).empty()) {
    return Refusal{"gives more than its state"};
  }
  return Done{};
}

/// True if a scan's result is rounded where it is stored, and a reader goes on from there.
bool loses_rounding(const EinSum& reader, const Vertex& read) {
  const DType dtype = read.type.dtype;
  return compute_type(dtype) != dtype && reader.body.nodes.size() > 1 &&
         std::get<einsum::Scan>(read.op).result.nodes.size() > 1;
}

/// True if every access of an operand is at the last position of a scan.
bool reads_last_alone(const EinSum& reader, int32_t operand, const Vertex& read) {
  const auto& scan = std::get<einsum::Scan>(read.op);
  const size_t mode = mode_along(scan);
  const bool is_forward = scan.what.direction == expr::Scan::Direction::forward;
  const expr::Index last = expr::fixed(is_forward ? read.type.shape[mode] - 1 : 0);
  const std::vector<const expr::Access*> accesses = expr::accesses_of(reader.body);
  return std::all_of(accesses.begin(), accesses.end(), [&](const expr::Access* access) {
    return access->operand != operand || access->index[mode] == last;
  });
}

/// Returns the aggregate of elements that are states already, under the registry's name if it has
/// one.
expr::BoundAggregate aggregate_by(const expr::Monoid& monoid,
                                  const expr::AggregateRegistry& aggregates) {
  const expr::Scalar same{{expr::Node{expr::Parameter{0}, monoid.state[0]}}};
  expr::BoundAggregate made{monoid, {same}, same, true};
  if (expr::is_registered(monoid, aggregates)) {
    made.defined_on_empty = aggregates.find(monoid.name)->bind(monoid.state[0]).defined_on_empty;
  }
  return made;
}

/// Makes the aggregate that the scan reaches at its last position.
Vertex merged_vertex(const Vertex& read, const expr::AggregateRegistry& aggregates,
                     std::string name) {
  const auto& scan = std::get<einsum::Scan>(read.op);
  const auto mode = static_cast<std::ptrdiff_t>(mode_along(scan));
  Vertex merged = read;
  EinSum einsum;
  einsum.labels = scan.labels;
  einsum.out = scan.out;
  einsum.out.erase(einsum.out.begin() + mode);
  einsum.over = {scan.what.along};
  einsum.aggregate = scan.what.monoid.name;
  einsum.reduction = aggregate_by(scan.what.monoid, aggregates);
  einsum.body = scan.bodies[0];
  merged.op = std::move(einsum);
  merged.type.shape.erase(merged.type.shape.begin() + mode);
  merged.type.dtype = scan.what.monoid.state[0];
  merged.labels.erase(merged.labels.begin() + mode);
  merged.name = std::move(name);
  return merged;
}

/// Returns the reader with the merged state in place of the scan.
Vertex reader_of_merged(const Vertex& reader, int32_t operand, const Vertex& read,
                        einsum::VertexId merged) {
  const auto& scan = std::get<einsum::Scan>(read.op);
  const auto mode = static_cast<std::ptrdiff_t>(mode_along(scan));
  Vertex made = reader;
  made.operands[static_cast<size_t>(operand)] = merged;
  expr::Scalar& body = std::get<EinSum>(made.op).body;
  expr::ScalarBuilder builder;
  body =
      builder.finish(copy_into(builder, body, [&](expr::ScalarBuilder& to, const expr::Node& leaf) {
        const auto* access = std::get_if<expr::Access>(&leaf.op);
        if (access == nullptr || access->operand != operand) {
          return to.add(leaf);
        }
        expr::Access state = *access;
        state.index.erase(state.index.begin() + mode);
        return to.inline_scalar(scan.result,
                                {to.access(std::move(state), scan.what.monoid.state[0])});
      }));
  return made;
}

/// True if a statement is a copy of its operand, mode by mode.
bool is_same_tensor(const Vertex& copy) {
  const auto& einsum = std::get<EinSum>(copy.op);
  return !einsum.reduction && einsum.labels.size() == einsum.out.size() &&
         einsum.body == expr::scalar_of(at_result(einsum, 0), einsum.body.dtype());
}

Rewritten rewritten(const Vertex& vertex, size_t operand, RuleContext& around) {
  const Vertex read = around.graph().at(vertex.operands[operand]);
  const einsum::VertexId id(static_cast<int64_t>(around.graph().vertices.size()));
  Vertex reader = reader_of_merged(vertex, static_cast<int32_t>(operand), read, id);
  const bool is_copy = is_same_tensor(reader);
  Vertex merged = merged_vertex(read, around.context().aggregates,
                                is_copy ? vertex.name : around.fresh_name(read.name));
  if (!is_copy) {
    return {{std::move(merged), std::move(reader)}};
  }
  merged.labels = vertex.labels;
  merged.origin = vertex.origin;
  return {{std::move(merged)}};
}

Outcome apply(const Vertex& vertex, RuleContext& around) {
  const auto* reader = std::get_if<EinSum>(&vertex.op);
  if (reader == nullptr) {
    return NotApplied{};
  }
  std::string reasons;
  for (size_t operand = 0; operand < vertex.operands.size(); ++operand) {
    const einsum::VertexId id = vertex.operands[operand];
    const Vertex& read = around.graph().at(id);
    const auto* scan = std::get_if<einsum::Scan>(&read.op);
    if (scan == nullptr || !reads_last_alone(*reader, static_cast<int32_t>(operand), read)) {
      continue;
    }
    OrRefusal<Done> is_aggregate = ends_as_aggregate(*scan);
    if (is_aggregate && loses_rounding(*reader, read)) {
      is_aggregate =
          Refusal{fmt::format("is rounded to {} where it is stored", name_of(read.type.dtype))};
    }
    if (is_aggregate && around.num_readers(id) > 1) {
      is_aggregate = Refusal{fmt::format("has {} readers: it stays", around.num_readers(id))};
    }
    if (is_aggregate) {
      return rewritten(vertex, operand, around);
    }
    reasons += (reasons.empty() ? "" : "; ") + read.name + " " + is_aggregate.reason();
  }
  return NotApplied{std::move(reasons)};
}

}  // namespace

void register_rule(RuleRegistry& registry) {
  registry.add({"last_of_scan", "merge what a scan is read for at its last position only",
                Phase::normalize, [] { return VertexRewrite(&apply); }});
}

}  // namespace tessera::optimizer::rule_last_of_scan
