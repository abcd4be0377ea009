#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/refusal.h"
#include "expr/function.h"
#include "optimizer/einsum/operand_list.h"
#include "optimizer/einsum/product.h"
#include "optimizer/einsum/rule.h"
#include "optimizer/einsum/scalar_rewrite.h"

/// ⊕[k] f(a[i,k]) ⊗ b[k,j] becomes t[i,k] = f(a[i,k]) and ⊕[k] t[i,k] ⊗ b[k,j]: the rest is a
/// product of stored tensors, which has a contraction path and kernels (BLAS), and f is computed
/// i*k times, not i*k*j. A factor is any multiplied expression: a function of operands and
/// positions; a gather a[I[k],i], whose rows are copied once and not once a use; or an operand in a
/// dtype that kernels do not multiply with that of the others (f32 with f64).
/// common_subexpressions merges factors that are equal but for the names of labels, as in a
/// covariance.
///
/// Conditions, with what goes wrong without them:
/// - ⊗ distributes over ⊕: there is no kernel for mean[k] a*b, and t would be written for nothing;
/// - only stored factors are left: in sum[k] sin(a[i,k]) * exp(a[i,k]*b[k,j]) the loop over all
///   labels stays, with one more tensor to read;
/// - a factor lacks some label: in sum[k] exp(a[i,k]) * x[k] every exp is used once, and storing
///   them is a second pass over memory. The only gather of a product must be used often, because a
///   kernel packs its rows as it multiplies;
/// - it is no larger than an intermediate may be: in sum[j] (b[j,k]-d[j,l]) * w[j,m] the factor may
///   be larger than all operands;
/// - operands are read at plain labels, fixed places or entries of a table: a window has fewer
///   elements than the places that it is read at.
///
/// Factors of contractions are this rule's case: merge_elementwise leaves operands of a contraction
/// alone, so it does not undo this rule. The factor has the values and the dtype that the body
/// computed (for a narrow float before rounding), so the products have the same bits.
namespace tessera::optimizer::rule_hoist_factors {

namespace {

using einsum::EinSum;
using einsum::Vertex;
using einsum::VertexId;
using expr::LabelNumber;

/// Times that every element of a factor must be multiplied. A factor that is used twice is worth
/// storing for a matrix product: (A+1)*B with 2 columns takes a seventh of the time. Products along
/// the last label of all operands, and those of other semirings, gain from about 8 uses on and take
/// up to 1.6 times as long before. Measured on 25 million elements of f32, AVX2, 2026-11.
constexpr double kFewestUses = 2;
/// Fewest uses of each element if the factor is the only gather of a product, because a kernel
/// packs it once. If there are two gathers, a kernel packs one again for every block of the other,
/// and storing pays from kFewestUses on. Measured on 70,000 rows of 4 to 256 elements of f32, AVX2,
/// 2026-11.
constexpr double kFewestUsesOfOnlyGather = 128;

const expr::Node& node_at(const EinSum& einsum, int32_t number) {
  return einsum.body.nodes[static_cast<size_t>(number)];
}

/// True if kernels multiply a factor directly from memory: casts that they do not read are work.
bool is_stored(const EinSum& einsum, int32_t node) {
  const std::optional<Factor> factor = factor_at(einsum.body, node);
  const auto is_kept = [&](DType dtype) {
    return compute_type(dtype) == compute_type(factor->stored);
  };
  return factor && std::all_of(factor->casts.begin(), factor->casts.end(), is_kept);
}

double num_elements(const EinSum& einsum, const std::vector<LabelNumber>& labels) {
  double elements = 1;
  for (const LabelNumber label : labels) {
    elements *= static_cast<double>(einsum.labels[static_cast<size_t>(label)].extent);
  }
  return elements;
}

/// Counts the uses of every element of a factor in the loop over all labels.
double num_uses(const EinSum& einsum, const std::vector<LabelNumber>& labels) {
  std::vector<LabelNumber> others = einsum.out;
  others.insert(others.end(), einsum.over.begin(), einsum.over.end());
  const auto has_it = [&](LabelNumber label) {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  };
  others.erase(std::remove_if(others.begin(), others.end(), has_it), others.end());
  return num_elements(einsum, others);
}

bool is_gathered(const expr::Scalar& scalar) {
  const auto is_position = [](const expr::Index& index) {
    return std::holds_alternative<expr::GatheredIndex>(index);
  };
  const std::vector<const expr::Access*> accesses = expr::accesses_of(scalar);
  return std::any_of(accesses.begin(), accesses.end(), [&](const expr::Access* access) {
    return std::any_of(access->index.begin(), access->index.end(), is_position);
  });
}

/// Times that every element of a factor must be multiplied for the factor to be stored.
double fewest_uses(const EinSum& einsum, const expr::Scalar& factor) {
  const std::vector<int32_t> factors = factor_nodes(einsum.body);
  const auto num_gathers = std::count_if(factors.begin(), factors.end(), [&](int32_t node) {
    return is_gathered(part_of(einsum.body, node));
  });
  return is_gathered(factor) && num_gathers == 1 ? kFewestUsesOfOnlyGather : kFewestUses;
}

bool reads_through_window(const expr::Scalar& scalar) {
  const auto is_window = [](const expr::Index& index) {
    return !expr::is_plain_or_fixed(index) && !std::holds_alternative<expr::GatheredIndex>(index);
  };
  const std::vector<const expr::Access*> accesses = expr::accesses_of(scalar);
  return std::any_of(accesses.begin(), accesses.end(), [&](const expr::Access* access) {
    return std::any_of(access->index.begin(), access->index.end(), is_window);
  });
}

/// Returns the dtype that a factor is stored in: a narrow float is rounded only with the body's
/// result.
DType stored_dtype(const EinSum& einsum, int32_t node) {
  return compute_type(node_at(einsum, node).dtype);
}

/// Checks that a factor may be stored; a refusal goes on after "factor 2". REQUIRES it is not
/// stored yet.
OrRefusal<Done> may_store(const EinSum& einsum, int32_t node, const RuleContext& around) {
  const expr::Scalar factor = part_of(einsum.body, node);
  const std::vector<LabelNumber> labels = labels_in(factor);
  if (labels.empty() && expr::accesses_of(factor).empty()) {
    return Refusal{"is a constant"};
  }
  if (reads_through_window(factor)) {
    return Refusal{"reads an operand through a window"};
  }
  const double uses = num_uses(einsum, labels);
  if (uses < kFewestUses) {
    return Refusal{"has every label: each of its elements is multiplied once"};
  }
  if (uses < fewest_uses(einsum, factor)) {
    return Refusal{
        fmt::format("is the only gather: each of its elements is multiplied {:g} times", uses)};
  }
  const double bytes =
      num_elements(einsum, labels) * static_cast<double>(size_of(stored_dtype(einsum, node)));
  const std::optional<int64_t> most = around.wishes().largest_intermediate_bytes;
  if (most && bytes > static_cast<double>(*most)) {
    return Refusal{fmt::format(
        "would take {:g} bytes, more than the {} that an intermediate may have", bytes, *most)};
  }
  return Done{};
}

/// Makes a vertex that computes a factor, over the labels that it mentions.
Vertex factor_vertex(const Vertex& vertex, int32_t node, std::string name) {
  const auto& einsum = std::get<EinSum>(vertex.op);
  const expr::Scalar factor = part_of(einsum.body, node);
  EinSum made;
  Vertex stored;
  std::vector<LabelNumber> numbers(einsum.labels.size(), -1);
  for (const LabelNumber label : labels_in(factor)) {
    const expr::LabelDecl& decl = einsum.labels[static_cast<size_t>(label)];
    const auto number = static_cast<LabelNumber>(made.labels.size());
    numbers[static_cast<size_t>(label)] = number;
    made.labels.push_back(decl);
    made.out.push_back(number);
    stored.labels.push_back(decl.name);
    stored.type.shape.push_back(decl.extent);
  }
  OperandList operands(vertex);
  operands.meet(factor);
  expr::ScalarBuilder builder;
  const int32_t root = operands.copy(builder, factor, numbers);
  stored.type.dtype = stored_dtype(einsum, node);
  made.body = builder.finish(builder.cast(root, stored.type.dtype));
  stored.op = std::move(made);
  stored.operands = operands.vertices();
  stored.name = std::move(name);
  stored.origin = vertex.origin;
  return stored;
}

/// Returns the product with some of its factors read from vertices of their own.
Vertex product_vertex(const Vertex& vertex, const std::map<int32_t, VertexId>& stored) {
  const auto& einsum = std::get<EinSum>(vertex.op);
  std::vector<LabelNumber> labels;  // unchanged
  for (size_t label = 0; label < einsum.labels.size(); ++label) {
    labels.push_back(static_cast<LabelNumber>(label));
  }
  OperandList operands(vertex);
  expr::ScalarBuilder builder;
  const int32_t root = copy_product(
      builder, einsum.body, einsum.body.dtype(), [&](expr::ScalarBuilder& to, int32_t node) {
        const expr::Scalar factor = part_of(einsum.body, node);
        const auto found = stored.find(node);
        if (found == stored.end()) {
          operands.meet(factor);
          return operands.copy(to, factor, labels);
        }
        expr::Access access{operands.add(found->second), {}};
        for (const LabelNumber label : labels_in(factor)) {
          access.index.push_back(expr::plain(label));
        }
        return to.cast(to.access(std::move(access), stored_dtype(einsum, node)),
                       node_at(einsum, node).dtype);
      });
  Vertex product = vertex;
  std::get<EinSum>(product.op).body = builder.finish(root);
  product.operands = operands.vertices();
  return product;
}

Outcome apply(const Vertex& vertex, RuleContext& around) {
  const auto* einsum = std::get_if<EinSum>(&vertex.op);
  if (einsum == nullptr || !einsum->reduction) {
    return NotApplied{};
  }
  const std::vector<int32_t> factors = factor_nodes(einsum->body);
  std::set<int32_t> computed;
  std::copy_if(factors.begin(), factors.end(), std::inserter(computed, computed.end()),
               [&](int32_t node) { return !is_stored(*einsum, node); });
  if (computed.empty()) {
    return NotApplied{};
  }
  const std::string& function = std::get<expr::Call>(einsum->body.nodes.back().op).function;
  if (!around.context().functions.distributes_over(function, einsum->reduction->monoid.name)) {
    return NotApplied{fmt::format("{} does not distribute over {}", function, einsum->aggregate)};
  }
  for (const int32_t node : computed) {
    if (const auto stored = may_store(*einsum, node, around); !stored) {
      const auto place = std::find(factors.begin(), factors.end(), node) - factors.begin();
      return NotApplied{fmt::format("factor {} {}", place + 1, stored.reason())};
    }
  }
  Rewritten made;
  std::map<int32_t, VertexId> stored;
  for (const int32_t node : computed) {
    stored.emplace(
        node, VertexId(static_cast<int64_t>(around.graph().vertices.size() + made.nodes.size())));
    made.nodes.push_back(factor_vertex(vertex, node, around.fresh_name(vertex.name)));
  }
  made.nodes.push_back(product_vertex(vertex, stored));
  return made;
}

}  // namespace

void register_rule(RuleRegistry& registry) {
  registry.add({"hoist_factors", "compute the factors of a contraction once, before it",
                Phase::normalize, [] { return VertexRewrite(&apply); }});
}

}  // namespace tessera::optimizer::rule_hoist_factors
