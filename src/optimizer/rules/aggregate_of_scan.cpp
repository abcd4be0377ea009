#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/refusal.h"
#include "expr/aggregate.h"
#include "expr/function_ids.h"
#include "expr/text/text.h"
#include "optimizer/einsum/product.h"
#include "optimizer/einsum/rule.h"
#include "optimizer/einsum/substitution.h"

/// max[i] c[i] = max[i] x[i] for c[i] = cummax[i] x[i]: every running maximum is one of the x, and
/// the last is the largest of all; likewise with min, any and all. And sum[i] c[i] = sum[i] (n - i)
/// * x[i] for c[i] = cumsum[i] x[i] of n positions, because x[i] is in all sums from i on. From the
/// end it is in i + 1; an exclusive scan has one less. The scan is not made, so no position waits
/// for the one before.
///
/// Conditions, with what goes wrong without them:
/// - one reader: if another needs c, it is made, and its last position is closer than all of x;
/// - the aggregate takes c alone and unchanged, along the label of the scan: max[i] 2 - c[i] is
///   about the least c, and sum[i] c[i] * w[i] needs another multiple of every x;
/// - both merge by the same monoid, and one that picks an element is inclusive: an exclusive
///   maximum does not merge the last element;
/// - the scan returns its state alone: if it restarts by segments the sums are fewer, and a sum of
///   f16 is rounded at every position;
/// - sums are of integers, which wrap in multiples as in sums, or inclusive ones of real floats:
/// the last element of an exclusive one counts 0 times, and 0 * inf is NaN, as are parts of complex
/// infinities.
/// Floats: a multiple is rounded once while the sums are rounded at every position, and may
/// overflow where they do not, like every order of a sum.
namespace tessera::optimizer::rule_aggregate_of_scan {

namespace {

using einsum::EinSum;
using einsum::Vertex;
using expr::LabelNumber;

/// Returns the access that a body consists of, if it is plain in every mode.
const expr::Access* plain_access(const EinSum& einsum) {
  const auto* access = std::get_if<expr::Access>(&einsum.body.nodes.back().op);
  const bool is_plain = access != nullptr && einsum.body.nodes.size() == 1 &&
                        std::all_of(access->index.begin(), access->index.end(),
                                    [](const expr::Index& index) { return expr::is_plain(index); });
  return is_plain ? access : nullptr;
}

/// Returns the reader's label along which a scan runs, if it is aggregated and no other mode has
/// it.
std::optional<LabelNumber> label_along(const EinSum& reader, const expr::Access& access,
                                       const einsum::Scan& scan) {
  std::optional<LabelNumber> along;
  for (size_t mode = 0; mode < access.index.size(); ++mode) {
    if (scan.out[mode] == scan.what.along) {
      along = expr::plain_label(access.index[mode]);
    }
  }
  const auto is_along = [&](const expr::Index& index) { return expr::plain_label(index) == along; };
  const bool is_aggregated =
      std::find(reader.over.begin(), reader.over.end(), *along) != reader.over.end();
  return is_aggregated && std::count_if(access.index.begin(), access.index.end(), is_along) == 1
             ? along
             : std::nullopt;
}

/// True if the merge of elements is one of the elements.
bool picks(const expr::Monoid& monoid, const expr::AggregateRegistry& aggregates) {
  return expr::is_registered(monoid, aggregates) && aggregates.find(monoid.name)->picks_argument;
}

bool gives_state(const einsum::Scan& scan) {
  return scan.result.nodes.size() == 1 && scan.bodies.size() == 1 &&
         std::holds_alternative<expr::Parameter>(scan.result.nodes[0].op);
}

/// Checks that the aggregate of the running states is that of the elements; a refusal goes on after
/// "c".
OrRefusal<Done> may_skip(const einsum::Scan& scan, const expr::BoundAggregate& aggregate,
                         const expr::AggregateRegistry& aggregates) {
  const expr::Monoid& monoid = scan.what.monoid;
  if (!gives_state(scan)) {
    return Refusal{"gives more than its state"};
  }
  if (aggregate.monoid != monoid || !expr::is_plain(aggregate)) {
    return Refusal{fmt::format("is merged by {}, which is not what it scans by", monoid.name)};
  }
  if (picks(monoid, aggregates)) {
    return scan.what.is_exclusive ? OrRefusal<Done>(Refusal{"is exclusive: it lacks the last one"})
                                  : OrRefusal<Done>(Done{});
  }
  const DType dtype = monoid.state[0];
  if (expr::merging_function(monoid) != expr::id::kAdd || is_bool(dtype)) {
    return Refusal{fmt::format("merges by {}, of which no multiple is known", monoid.name)};
  }
  if (is_complex(dtype) || (is_float(dtype) && scan.what.is_exclusive)) {
    return Refusal{fmt::format("has multiples of an infinite {} that are NaN", name_of(dtype))};
  }
  return Done{};
}

/// Makes the number of running sums that an element is in, as a node of their dtype.
int32_t num_sums(expr::ScalarBuilder& builder, const expr::Scan& scan, LabelNumber along,
                 int64_t extent) {
  const bool is_forward = scan.direction == expr::Scan::Direction::forward;
  const int64_t added = (is_forward ? extent : 1) - (scan.is_exclusive ? 1 : 0);
  const int32_t position = builder.index_of(along);
  const int32_t from = builder.constant(added, DType::i64);
  const int32_t count = is_forward ? builder.call(expr::id::kSubtract, {from, position}, DType::i64)
                        : added == 0 ? position
                                     : builder.call(expr::id::kAdd, {position, from}, DType::i64);
  return builder.cast(count, scan.monoid.state[0]);
}

/// Makes the aggregate of the scanned elements instead of the scan's results.
OrRefusal<Vertex> aggregate_of_elements(const Vertex& vertex, const Vertex& read, LabelNumber along,
                                        const RuleContext& around) {
  const auto& scan = std::get<einsum::Scan>(read.op);
  const auto& reader = std::get<EinSum>(vertex.op);
  Vertex made = vertex;
  const ReadPlace place = place_of_read(around.graph(), read, plain_access(reader)->index, made);
  expr::ScalarBuilder builder;
  const OrRefusal<int32_t> element = copy_at(builder, scan.bodies[0], place);
  if (!element) {
    return element.refusal();
  }
  const DType dtype = scan.what.monoid.state[0];
  const int64_t extent = reader.labels[static_cast<size_t>(along)].extent;
  const int32_t merged =
      picks(scan.what.monoid, around.context().aggregates)
          ? *element
          : builder.call(expr::id::kMultiply,
                         {num_sums(builder, scan.what, along, extent), *element}, dtype);
  expr::Scalar& body = std::get<EinSum>(made.op).body;
  body = builder.finish(merged);
  made.operands = take_read_operands(made.operands, body);
  return made;
}

Outcome apply(const Vertex& vertex, RuleContext& around) {
  const auto* reader = std::get_if<EinSum>(&vertex.op);
  const expr::Access* access =
      reader == nullptr || !reader->reduction ? nullptr : plain_access(*reader);
  if (access == nullptr) {
    return NotApplied{};
  }
  const einsum::VertexId id = vertex.operands[static_cast<size_t>(access->operand)];
  const Vertex& read = around.graph().at(id);
  const auto* scan = std::get_if<einsum::Scan>(&read.op);
  const std::optional<LabelNumber> along =
      scan == nullptr ? std::nullopt : label_along(*reader, *access, *scan);
  if (!along) {
    return NotApplied{};
  }
  const expr::AggregateRegistry& aggregates = around.context().aggregates;
  const OrRefusal<Done> skips = may_skip(*scan, *reader->reduction, aggregates);
  if (!skips) {
    return NotApplied{read.name + " " + skips.reason()};
  }
  if (around.num_readers(id) > 1) {
    return NotApplied{
        fmt::format("{} has {} readers: it stays", read.name, around.num_readers(id))};
  }
  OrRefusal<Vertex> made = aggregate_of_elements(vertex, read, *along, around);
  if (!made) {
    return NotApplied{read.name + " " + made.reason()};
  }
  return Rewritten{{*std::move(made)}};
}

}  // namespace

void register_rule(RuleRegistry& registry) {
  registry.add({"aggregate_of_scan", "merge what was scanned in place of all running states",
                Phase::normalize, [] { return VertexRewrite(&apply); }});
}

}  // namespace tessera::optimizer::rule_aggregate_of_scan
