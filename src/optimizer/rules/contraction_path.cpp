#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/refusal.h"
#include "optimizer/contraction/contraction_order.h"
#include "optimizer/contraction/tree_vertices.h"
#include "optimizer/einsum/product.h"
#include "optimizer/einsum/rule.h"

/// ⊕ over labels of x1 ⊗ ... ⊗ xn becomes a tree of products of two, each reduced over the labels
/// that only its two factors have: ⊕[j,k] a[i,j] ⊗ b[j,k] ⊗ c[k,l] = ⊕[k] (⊕[j] a[i,j] ⊗ b[j,k]) ⊗
/// c[k,l]. A label of a single factor is reduced there first. A diagonal or a broadcast mode of
/// extent 1 is copied into a vertex of its own, so that the kernel of a product of two sees plain
/// labels only. One matrix of an input that is a stack of them is read in place.
///
/// Conditions, with what goes wrong without them:
/// - ⊗ distributes over ⊕ (and is associative and commutative): max(a*b1, a*b2) is not a*max(b1,
/// b2) for a = -1;
/// - the state is a value: of mean(a*b*c) the parts would be pairs (sum, count) that cannot be
/// multiplied;
/// - labels are read plainly: x[i+k]*w[k]*v[i] has a label pair in one mode, which is no tensor of
/// the network;
/// - every reduced label is read: sum[j] a[i]*b[i]*c counts j's extent, which no part of the tree
/// would;
/// - no extent is 0: sum over no i of a[i]*b[j] is 0, but (sum of nothing = 0)*b[j] is NaN where
/// b[j] is infinite;
/// - some factor does without some label: x[i]*y[i]*z[i] is one loop, and parts of it would be
/// written and read again;
/// - it costs less: for extents of 1 or 2 the single loop has no intermediates and as few
/// operations.
///
/// An order whose intermediates exceed the requested bound is taken all the same, with a note of
/// the smallest bound that an order was found for: tensors are cut into tiles and may be spilled,
/// so a large one is slow, not impossible, while the loop over all labels may never end.
/// Floats: the sum is associated in another way, like in every order of a sum; f16 is still rounded
/// once, at the end. Source: Smith and Gray, opt_einsum, JOSS 3(26), 2018.
namespace tessera::optimizer::rule_contraction_path {

namespace {

using einsum::EinSum;
using expr::LabelNumber;

/// The most elements of an intermediate: beyond, sizes in bytes would not fit in 64 bits.
constexpr double kMostElements = 0x1p56;

bool reads_plain_or_fixed(const expr::Access& access) {
  return std::all_of(access.index.begin(), access.index.end(), expr::is_plain_or_fixed);
}

/// Returns a reduced label that no factor has, or -1.
LabelNumber unread_label(const EinSum& einsum, const Contraction& contraction) {
  for (const LabelNumber label : einsum.over) {
    const bool read = std::any_of(contraction.reads.begin(), contraction.reads.end(),
                                  [&](const LabelSet& labels) {
                                    return std::binary_search(labels.begin(), labels.end(), label);
                                  });
    if (!read) {
      return label;
    }
  }
  return -1;
}

/// True if a part of the reduction is a value that can be stored and multiplied further.
bool can_carry_parts(const EinSum& einsum) {
  const DType body = einsum.body.dtype();
  const DType state = einsum.reduction->monoid.state.front();
  return state == body || state == compute_type(body);
}

/// Checks that a contraction may have a tree.
OrRefusal<Done> may_have_tree(const EinSum& einsum) {
  if (!state_is_value(*einsum.reduction) || !can_carry_parts(einsum)) {
    return Refusal{
        fmt::format("the state of {} is no value of the product's dtype", einsum.aggregate)};
  }
  for (const expr::Access* access : expr::accesses_of(einsum.body)) {
    if (!reads_plain_or_fixed(*access)) {
      return Refusal{fmt::format("operand {} is read through a window", access->operand + 1)};
    }
  }
  const bool is_empty = std::any_of(einsum.labels.begin(), einsum.labels.end(),
                                    [](const expr::LabelDecl& label) { return label.extent == 0; });
  if (is_empty) {
    return Refusal{"a label has extent 0: there is nothing to save"};
  }
  return Done{};
}

/// Returns the most elements that an intermediate may have: its dtype is the reduction's state.
double most_elements(const EinSum& einsum, const RuleContext& around) {
  const std::optional<int64_t> bytes = around.wishes().largest_intermediate_bytes;
  const double wanted =
      bytes ? std::floor(static_cast<double>(*bytes) /
                         static_cast<double>(size_of(einsum.reduction->monoid.state.front())))
            : kMostElements;
  return std::min(wanted, kMostElements);
}

/// Returns a note on an order; empty if it keeps the bound.
std::string excess(const ContractionOrder& order, double bound) {
  return order.fits ? ""
                    : fmt::format(
                          "no order {}keeps every intermediate within {:.0f} elements: "
                          "this one has the smallest largest, of {:.0f}",
                          order.is_exact ? "" : "was found that ", bound, order.cost.largest);
}

/// Rewrites three factors or more to a tree of products of two, if it costs less than the one loop
/// over all labels.
Outcome apply_to_many(const Contraction& contraction, RuleContext& around) {
  const double bound = most_elements(contraction.einsum, around);
  const ContractionOrder order = contraction_order(
      network_of(contraction, OwnLabels::reduced_first), {bound, around.wishes().effort_seconds});
  const double tree = cost_of_preparation(contraction) + order.cost.operations;
  const double loop = cost_of_one_loop(contraction);
  if (tree >= loop) {
    return NotApplied{fmt::format(
        "one loop over all labels costs no more: {:g} against {:g} operations", loop, tree)};
  }
  if (order.cost.largest > kMostElements) {
    return NotApplied{fmt::format("some intermediate of every order has {:g} elements or more",
                                  order.cost.largest)};
  }
  return Rewritten{tree_vertices(contraction, OwnLabels::reduced_first, order.steps, around),
                   excess(order, bound)};
}

/// Rewrites two factors, if preparing them first saves work.
Outcome apply_to_two(const Contraction& contraction, RuleContext& around) {
  const ContractionOrder plain = contraction_order(network_of(contraction, OwnLabels::stay), {});
  const ContractionOrder reduced =
      contraction_order(network_of(contraction, OwnLabels::reduced_first), {});
  const bool reduce_own =
      cost_of_preparation(contraction) + reduced.cost.operations < cost_of_one_loop(contraction);
  const bool any_irregular = contraction.irregular[0] || contraction.irregular[1];
  if (!reduce_own && !any_irregular) {
    return NotApplied{"a product of two operands as it is"};
  }
  return Rewritten{reduce_own
                       ? tree_vertices(contraction, OwnLabels::reduced_first, reduced.steps, around)
                       : tree_vertices(contraction, OwnLabels::stay, plain.steps, around)};
}

Outcome apply(const einsum::Vertex& vertex, RuleContext& around) {
  const auto* einsum = std::get_if<EinSum>(&vertex.op);
  if (einsum == nullptr || !einsum->reduction) {
    return NotApplied{};
  }
  if (!is_contraction(*einsum, around.context().functions)) {
    return NotApplied{"not a reduced product whose factors have different labels"};
  }
  if (const auto tree = may_have_tree(*einsum); !tree) {
    return NotApplied{tree.reason()};
  }
  const Contraction contraction = contraction_of(vertex, around.graph());
  if (const LabelNumber label = unread_label(*einsum, contraction); label >= 0) {
    return NotApplied{fmt::format("no factor has the reduced label {}",
                                  einsum->labels[static_cast<size_t>(label)].name)};
  }
  return contraction.reads.size() == 2 ? apply_to_two(contraction, around)
                                       : apply_to_many(contraction, around);
}

}  // namespace

void register_rule(RuleRegistry& registry) {
  registry.add({"contraction_path", "contract many operands two at a time, in a cheap order",
                Phase::placed, [] { return VertexRewrite(&apply); }});
}

}  // namespace tessera::optimizer::rule_contraction_path
