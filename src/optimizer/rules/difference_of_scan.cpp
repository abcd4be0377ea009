#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/refusal.h"
#include "expr/function_ids.h"
#include "optimizer/einsum/rule.h"
#include "optimizer/einsum/substitution.h"

/// c[i] - c[i-1 pad 0] = x[i] for c[i] = cumsum[i] x[i], wherever a statement has such a
/// difference: c[p] - c[p-1] = x[p] at any position p; in a backward scan c[p] - c[p+1] = x[p]; in
/// an exclusive one, which lags by one position, c[p+1] - c[p] = x[p]. The operands of x are read
/// instead of c, so c is removed if nothing else reads it. If something does, nothing is lost: x is
/// ready before c is. With one row, c[0] - 0 = x[0].
///
/// Conditions, with what goes wrong without them:
/// - integers, which wrap in the sum like in the difference: with floats, c[i] - c[i-1] is x[i]
///   after rounding, 0 for 1e16 and then 1, and NaN at every position after an infinite one;
/// - the scan returns its sum and nothing else: a sum of truth values is an `or`, which has no
///   difference, and by segments the first element of each is no difference;
/// - both positions lie inside: c[i-1 pad(edge)] is c[0], so that the difference is 0, not x[0]. A
///   pad of 0 equals an inclusive sum before its first position; for an exclusive sum that would be
///   two positions before;
/// - the summed expression can be read at that position: index(i) - i has no label there, as in
///   cumsum[i] index(i), read at i+1.
namespace tessera::optimizer::rule_difference_of_scan {

namespace {

using einsum::EinSum;
using einsum::Vertex;
using expr::Index;

/// A difference of two accesses of the same scan: minuend - subtrahend.
struct Difference {
  const expr::Access* minuend = nullptr;
  const expr::Access* subtrahend = nullptr;
};

const expr::Access* access_at(const expr::Scalar& body, int32_t node) {
  return std::get_if<expr::Access>(&body.nodes[static_cast<size_t>(node)].op);
}

/// Reads a node as the difference of two elements of one scan; nothing if it is none.
std::optional<Difference> difference_at(const Vertex& vertex, const einsum::Graph& graph,
                                        int32_t node) {
  const expr::Scalar& body = std::get<EinSum>(vertex.op).body;
  const auto* call = std::get_if<expr::Call>(&body.nodes[static_cast<size_t>(node)].op);
  if (call == nullptr || call->function != expr::id::kSubtract) {
    return std::nullopt;
  }
  const Difference found{access_at(body, call->arguments[0]), access_at(body, call->arguments[1])};
  if (found.minuend == nullptr || found.subtrahend == nullptr ||
      found.minuend->operand != found.subtrahend->operand) {
    return std::nullopt;
  }
  const einsum::VertexId operand = vertex.operands[static_cast<size_t>(found.minuend->operand)];
  const bool is_scan = std::holds_alternative<einsum::Scan>(graph.at(operand).op);
  return is_scan ? std::optional(found) : std::nullopt;
}

/// Checks that a scan is the sum of integers; a refusal goes on after "c".
OrRefusal<Done> sums_integers(const einsum::Scan& scan) {
  const expr::Monoid& monoid = scan.what.monoid;
  const bool is_sum = expr::merging_function(monoid) == expr::id::kAdd &&
                      scan.result.nodes.size() == 1 &&
                      std::holds_alternative<expr::Parameter>(scan.result.nodes[0].op);
  if (!is_sum) {
    return Refusal{fmt::format("is no plain sum but merges by {}", monoid.name)};
  }
  const DType dtype = monoid.state[0];
  if (!is_integer(dtype)) {
    return Refusal{
        fmt::format("is a sum of {}, of which a difference is not what was added", name_of(dtype))};
  }
  return Done{};
}

/// Returns a - b if it is the same for all values of the labels. REQUIRES affine positions.
std::optional<__int128> distance(const Index& a, const Index& b,
                                 const std::vector<expr::LabelDecl>& labels) {
  for (size_t label = 0; label < labels.size(); ++label) {
    const auto number = static_cast<expr::LabelNumber>(label);
    if (labels[label].extent != 1 &&
        expr::coefficient_of(a, number) != expr::coefficient_of(b, number)) {
      return std::nullopt;
    }
  }
  return __int128{expr::offset_of(a)} - expr::offset_of(b);
}

/// True if a position outside is read as 0.
bool pads_with_zero(const Index& index) {
  const auto* affine = std::get_if<expr::AffineIndex>(&index);
  const auto* pad = affine == nullptr ? nullptr : std::get_if<expr::Pad>(&affine->outside);
  return pad != nullptr && affine->divisor == 1 && literal_as<double>(pad->value) == 0;
}

/// Returns the place whose element the difference is; a refusal goes on after "c".
OrRefusal<std::vector<Index>> place_of_difference(const einsum::Scan& scan,
                                                  const std::vector<expr::LabelDecl>& labels,
                                                  const std::vector<Index>& minuend,
                                                  const std::vector<Index>& subtrahend) {
  const bool is_exclusive = scan.what.is_exclusive;
  for (size_t mode = 0; mode < minuend.size(); ++mode) {
    const Index& a = minuend[mode];
    const Index& b = subtrahend[mode];
    const bool is_along = scan.out[mode] == scan.what.along;
    if (!expr::is_linear(a) ||
        !(expr::is_linear(b) || (is_along && !is_exclusive && pads_with_zero(b)))) {
      return Refusal{"is read at positions that may be outside, or are data"};
    }
    const std::optional<__int128> apart = distance(a, b, labels);
    const bool is_backward = scan.what.direction == expr::Scan::Direction::backward;
    if (apart != (is_along ? (is_backward ? -1 : 1) : 0)) {
      return Refusal{"is not read at a position and the one before it"};
    }
  }
  return is_exclusive ? subtrahend : minuend;
}

/// A rewrite of the differences of a body, one by one.
class DifferenceRewrite {
 public:
  DifferenceRewrite(const Vertex& vertex, const einsum::Graph& graph)
      : graph_(graph), vertex_(vertex), made_(vertex) {}

  Outcome run() && {
    const expr::Scalar& body = std::get<EinSum>(vertex_.op).body;
    expr::ScalarBuilder builder;
    std::vector<int32_t> where;
    for (size_t node = 0; node < body.nodes.size(); ++node) {
      const std::optional<int32_t> added = what_was_added(builder, static_cast<int32_t>(node));
      where.push_back(added ? *added : builder.add(expr::with_arguments(body.nodes[node], where)));
    }
    if (!is_rewritten_) {
      return NotApplied{std::move(reasons_)};
    }
    expr::Scalar& rewritten = std::get<EinSum>(made_.op).body;
    rewritten = builder.finish(where.back());
    made_.operands = take_read_operands(made_.operands, rewritten);
    return Rewritten{{std::move(made_)}};
  }

 private:
  /// Returns the scanned element if a node is a difference; nothing if it is none or stays.
  std::optional<int32_t> what_was_added(expr::ScalarBuilder& builder, int32_t node) {
    const std::optional<Difference> difference = difference_at(vertex_, graph_, node);
    if (!difference) {
      return std::nullopt;
    }
    const OrRefusal<int32_t> added = copy_of_element(builder, *difference);
    if (!added) {
      reasons_ += (reasons_.empty() ? "" : "; ") + scan_of(*difference).name + " " + added.reason();
      return std::nullopt;
    }
    is_rewritten_ = true;
    return *added;
  }

  const Vertex& scan_of(const Difference& difference) const {
    return graph_.at(vertex_.operands[static_cast<size_t>(difference.minuend->operand)]);
  }

  OrRefusal<int32_t> copy_of_element(expr::ScalarBuilder& builder, const Difference& difference) {
    const Vertex& read = scan_of(difference);
    const auto& scan = std::get<einsum::Scan>(read.op);
    const std::vector<expr::LabelDecl>& labels = einsum::labels_of(vertex_.op);
    if (const auto sums = sums_integers(scan); !sums) {
      return sums.refusal();
    }
    if (runs_never(labels)) {
      return Refusal{"is read nowhere"};
    }
    const auto indices =
        place_of_difference(scan, labels, indices_of(*difference.minuend, labels, read.type.shape),
                            indices_of(*difference.subtrahend, labels, read.type.shape));
    if (!indices) {
      return indices.refusal();
    }
    return copy_at(builder, scan.bodies[0], place_of_read(graph_, read, *indices, made_));
  }

  const einsum::Graph& graph_;
  const Vertex& vertex_;
  Vertex made_;
  bool is_rewritten_ = false;
  std::string reasons_;
};

Outcome apply(const Vertex& vertex, const RuleContext& around) {
  if (!std::holds_alternative<EinSum>(vertex.op)) {
    return NotApplied{};
  }
  return DifferenceRewrite(vertex, around.graph()).run();
}

}  // namespace

void register_rule(RuleRegistry& registry) {
  registry.add({"difference_of_scan", "read what a running sum added in place of its differences",
                Phase::normalize, [] { return VertexRewrite(&apply); }});
}

}  // namespace tessera::optimizer::rule_difference_of_scan
