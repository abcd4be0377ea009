#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/refusal.h"
#include "expr/function_ids.h"
#include "optimizer/einsum/product.h"
#include "optimizer/einsum/rule.h"
#include "optimizer/einsum/scalar_rewrite.h"
#include "optimizer/einsum/substitution.h"

/// cumsum[i] c * x[i] = c * cumsum[i] x[i] for factors c that are the same at every position i. The
/// rest of cumsum[i] c[j] * x[i] is a scan of i elements, not of i*j; and if the program has
/// cumsum[i] x[i,j] already, the scan of c * x[i,j] is a multiple of it.
///
/// Conditions, with what goes wrong without them:
/// - the other factors lack some label of the result, or their scan exists: cumsum[i] c[j] * x[i]
///   alone would have as many products, and one more stored tensor. A scan behind this one is not
///   found;
/// - ⊗ distributes over ⊕: cummax[i] -1 * x[i] is not -1 * cummax[i] x[i];
/// - not addition to integers under min and max, which wraps: max(127 + 1, 0 + 1) is 1 in i8, and
///   max(127, 0) + 1 is -128. Products of integers wrap alike on both sides;
/// - for floats and complex numbers, c is a finite number: inf * 1 + inf * -2 is NaN, inf * (1 - 2)
///   is -inf. A stored c may be infinite, so it stays. With 0 both sides are 0, and NaN from the
///   first x on that is NaN or infinite;
/// - an inclusive scan, or a sum of integers: an exclusive one begins with the identity of ⊕, not
///   with c ⊗ it.
/// Floats round otherwise, and overflow otherwise if c is small, like in
/// pull_scalar_factor_out_of_sum.
namespace tessera::optimizer::rule_pull_factor_out_of_scan {

namespace {

using einsum::Scan;
using einsum::Vertex;
using expr::LabelNumber;

/// The factors of a scanned product, nodes of its body: those before the scan and those in it.
struct Parts {
  std::vector<int32_t> pulled;
  std::vector<int32_t> scanned;
  std::string function;
};

std::optional<Parts> parts_of(const Scan& scan) {
  if (scan.bodies.size() != 1) {
    return std::nullopt;
  }
  Parts parts;
  for (const int32_t node : factor_nodes(scan.bodies[0])) {
    const expr::Scalar factor = part_of(scan.bodies[0], node);
    const bool varies = expr::mentions_label(factor, scan.what.along);
    (varies ? parts.scanned : parts.pulled).push_back(node);
  }
  if (parts.pulled.empty() || parts.scanned.empty()) {
    return std::nullopt;
  }
  parts.function = std::get<expr::Call>(scan.bodies[0].nodes.back().op).function;
  return parts;
}

/// True if a factor is a finite number.
bool is_finite_number(const Scan& scan, int32_t node) {
  const expr::Scalar factor = part_of(scan.bodies[0], node);
  return std::all_of(factor.nodes.begin(), factor.nodes.end(), [](const expr::Node& at) {
    const auto* constant = std::get_if<expr::Constant>(&at.op);
    return constant != nullptr
               ? std::isfinite(std::abs(literal_as<std::complex<double>>(constant->value)))
               : std::holds_alternative<expr::Cast>(at.op);
  });
}

/// Checks that the factors may stand before the scan.
OrRefusal<Done> may_pull(const Scan& scan, const Parts& parts,
                         const expr::FunctionRegistry& functions) {
  const DType dtype = scan.bodies[0].dtype();
  const std::string& merged_by = scan.what.monoid.name;
  if (!functions.distributes_over(parts.function, merged_by)) {
    return Refusal{fmt::format("{} does not distribute over {}", parts.function, merged_by)};
  }
  const bool is_exact = !is_float(dtype) && !is_complex(dtype);
  if (is_exact && parts.function == expr::id::kAdd) {
    return Refusal{fmt::format("{} wraps, so a sum may have another order", name_of(dtype))};
  }
  if (!is_exact && !std::all_of(parts.pulled.begin(), parts.pulled.end(),
                                [&](int32_t node) { return is_finite_number(scan, node); })) {
    return Refusal{fmt::format("a factor of {} that is no number may be infinite", name_of(dtype))};
  }
  const bool is_integer_product = is_integer(dtype) && parts.function == expr::id::kMultiply;
  if (scan.what.is_exclusive && !is_integer_product) {
    return Refusal{fmt::format("an exclusive scan begins with the identity of {}", merged_by)};
  }
  return Done{};
}

/// Multiplies the factors at some nodes, from left to right; -1 to begin with.
int32_t product_with(expr::ScalarBuilder& builder, int32_t product, const expr::Scalar& body,
                     const std::vector<int32_t>& nodes, const std::string& function) {
  for (const int32_t node : nodes) {
    const int32_t factor = builder.inline_scalar(part_of(body, node), {});
    product = product < 0 ? factor : builder.call(function, {product, factor}, body.dtype());
  }
  return product;
}

/// Makes the scan of the factors that vary, over the labels that they have.
Vertex scan_vertex(const Vertex& vertex, const Parts& parts) {
  const auto& scan = std::get<Scan>(vertex.op);
  expr::ScalarBuilder builder;
  expr::Scalar body =
      builder.finish(product_with(builder, -1, scan.bodies[0], parts.scanned, parts.function));
  Vertex made = vertex;
  made.operands = take_read_operands(vertex.operands, body);
  made.labels.clear();
  made.type = {scan.what.monoid.state[0], {}};
  Scan rest{{}, {}, scan.what, {}, {}};
  std::vector<LabelNumber> numbers(scan.labels.size(), -1);
  for (const LabelNumber label : scan.out) {
    if (!expr::mentions_label(body, label)) {
      continue;
    }
    numbers[static_cast<size_t>(label)] = static_cast<LabelNumber>(rest.labels.size());
    rest.out.push_back(numbers[static_cast<size_t>(label)]);
    rest.labels.push_back(scan.labels[static_cast<size_t>(label)]);
    made.labels.push_back(rest.labels.back().name);
    made.type.shape.push_back(rest.labels.back().extent);
  }
  rest.what.along = numbers[static_cast<size_t>(scan.what.along)];
  for (expr::Node& node : body.nodes) {
    expr::for_each_label(node,
                         [&](LabelNumber& label) { label = numbers[static_cast<size_t>(label)]; });
  }
  rest.bodies.push_back(std::move(body));
  rest.result = expr::Scalar{{expr::Node{expr::Parameter{0}, made.type.dtype}}};
  made.op = std::move(rest);
  return made;
}

/// Multiplies the factors that do not vary with the scan of the others, which is vertex `scanned`.
Vertex product_vertex(const Vertex& vertex, const Parts& parts, einsum::VertexId scanned) {
  const auto& scan = std::get<Scan>(vertex.op);
  const expr::Scalar& body = scan.bodies[0];
  Vertex made = vertex;
  expr::Access state{static_cast<int32_t>(made.operands.size()), {}};
  made.operands.push_back(scanned);
  const Vertex rest = scan_vertex(vertex, parts);
  for (const LabelNumber label : scan.out) {
    const std::string& name = scan.labels[static_cast<size_t>(label)].name;
    if (std::find(rest.labels.begin(), rest.labels.end(), name) != rest.labels.end()) {
      state.index.push_back(expr::plain(label));
    }
  }
  expr::ScalarBuilder builder;
  const int32_t read = builder.access(std::move(state), scan.what.monoid.state[0]);
  const int32_t factor = product_with(builder, -1, body, parts.pulled, parts.function);
  const int32_t product = builder.call(parts.function, {factor, read}, body.dtype());
  einsum::EinSum einsum;
  einsum.labels = scan.labels;
  einsum.out = scan.out;
  einsum.body = builder.finish(builder.inline_scalar(scan.result, {product}));
  made.operands = take_read_operands(made.operands, einsum.body);
  made.op = std::move(einsum);
  return made;
}

/// Returns the scan with unnamed labels, to compare two.
Scan nameless(Scan scan) {
  for (expr::LabelDecl& label : scan.labels) {
    label.name.clear();
  }
  return scan;
}

class PullFactorOutOfScan {
 public:
  Outcome operator()(const Vertex& vertex, RuleContext& around) {
    const auto* scan = std::get_if<Scan>(&vertex.op);
    if (scan == nullptr) {
      return NotApplied{};
    }
    Outcome outcome = rewritten(vertex, *scan, around);
    const auto at = static_cast<int64_t>(around.graph().vertices.size());
    const auto* made = std::get_if<Rewritten>(&outcome);
    if (made == nullptr || made->nodes.size() > 1) {
      seen_.push_back(einsum::VertexId(at));  // the vertex itself, or the scan before its product
    }
    return outcome;
  }

 private:
  Outcome rewritten(const Vertex& vertex, const Scan& scan, RuleContext& around) const {
    const std::optional<Parts> parts = parts_of(scan);
    if (!parts) {
      return NotApplied{};
    }
    const OrRefusal<Done> pulling = may_pull(scan, *parts, around.context().functions);
    if (!pulling) {
      return NotApplied{pulling.reason()};
    }
    Vertex rest = scan_vertex(vertex, *parts);
    if (const auto known = find_equal(rest, around.graph())) {
      return Rewritten{{product_vertex(vertex, *parts, *known)}};
    }
    const auto num_wide = [](const Shape& shape) {
      return std::count_if(shape.begin(), shape.end(), [](int64_t extent) { return extent != 1; });
    };
    if (num_wide(rest.type.shape) == num_wide(vertex.type.shape)) {
      return NotApplied{"the other factors have every label, and nothing else scans them"};
    }
    rest.name = around.fresh_name(vertex.name);
    const einsum::VertexId id(static_cast<int64_t>(around.graph().vertices.size()));
    Vertex product = product_vertex(vertex, *parts, id);
    return Rewritten{{std::move(rest), std::move(product)}};
  }

  /// Returns a scan before this one that computes the same.
  std::optional<einsum::VertexId> find_equal(const Vertex& rest, const einsum::Graph& graph) const {
    const auto is_equal = [&](einsum::VertexId id) {
      const Vertex& earlier = graph.at(id);
      return earlier.operands == rest.operands && earlier.type == rest.type &&
             nameless(std::get<Scan>(earlier.op)) == nameless(std::get<Scan>(rest.op));
    };
    const auto known = std::find_if(seen_.begin(), seen_.end(), is_equal);
    return known == seen_.end() ? std::nullopt : std::optional(*known);
  }

  std::vector<einsum::VertexId> seen_;  // scans of the graph so far
};

}  // namespace

void register_rule(RuleRegistry& registry) {
  registry.add({"pull_factor_out_of_scan",
                "multiply a scan by what is the same at all its positions, after it",
                Phase::normalize, [] { return VertexRewrite(PullFactorOutOfScan()); }});
}

}  // namespace tessera::optimizer::rule_pull_factor_out_of_scan
