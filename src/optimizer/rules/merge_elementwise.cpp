#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/refusal.h"
#include "expr/guard.h"
#include "optimizer/einsum/input_part.h"
#include "optimizer/einsum/product.h"
#include "optimizer/einsum/rule.h"
#include "optimizer/einsum/scalar_rewrite.h"

/// y[l] = g(x[l], ...) with x[l] = f(...) becomes y[l] = g(f(...), ...): one pass over memory
/// instead of two. The reader may have an aggregate, the operand may not.
///
/// One matrix of an input that is a stack of them, W1[d,f] = W[1,d,f], is read in place, by any
/// number of readers: nothing is computed, and the file has it in this form.
///
/// Conditions, with what goes wrong without them:
/// - one reader: with two, f is computed twice (softmax would call exp twice per element);
/// - read at one place: D[i,j] * D[j,i] computes f twice;
/// - every label of the reader is read: in y[i,j] = E[j] * x[i,j] with E[j] = exp(b[j]), exp would
/// run i*j times, not j. Labels by which the reader groups do not count: x is read once for all;
/// - at plain distinct labels: x[i,i] reads few of the elements, and x[i+1] may lie outside of the
///   domain of f;
/// - the reader is no contraction: sum[k] exp(A[i,k]) * B[k,j] is no matrix product, so BLAS is
///   lost. hoist_factors takes such factors out again, so only one of the two rules may handle
///   them;
/// - no rounding is lost: x = f16(1 + 2^-12) is 1, so x - 1 is 0; in one body, computed in f32, it
/// is 2^-12.
namespace tessera::optimizer::rule_merge_elementwise {

namespace {

using einsum::EinSum;
using einsum::Vertex;
using einsum::VertexId;
using expr::LabelNumber;

/// The most nodes of a merged body. Larger ones gain nothing: their intermediate values no longer
/// stay in registers and the first-level cache.
constexpr size_t kMostNodes = 64;

bool is_element_wise(const Vertex& vertex) {
  const auto* einsum = std::get_if<EinSum>(&vertex.op);
  return einsum != nullptr && !einsum->reduction;
}

/// Returns the only access to an operand, or null if there are several.
const expr::Access* only_access(const EinSum& einsum, int32_t operand) {
  const expr::Access* only = nullptr;
  for (const expr::Access* access : expr::accesses_of(einsum.body)) {
    if (access->operand != operand) {
      continue;
    }
    if (only != nullptr) {
      return nullptr;
    }
    only = access;
  }
  return only;
}

bool is_plain_and_distinct(const expr::Access& access) {
  return std::all_of(access.index.begin(), access.index.end(),
                     [](const expr::Index& index) { return expr::is_plain(index); }) &&
         labels_of(access).size() == access.index.size();
}

bool reads_every_label(const expr::Access& access, const EinSum& einsum) {
  std::vector<LabelNumber> read = labels_of(access);
  const std::vector<LabelNumber> groups = expr::group_labels(einsum.body, einsum.out);
  read.insert(read.end(), groups.begin(), groups.end());
  std::sort(read.begin(), read.end());
  for (size_t label = 0; label < einsum.labels.size(); ++label) {
    if (einsum.labels[label].extent != 1 &&
        !std::binary_search(read.begin(), read.end(), static_cast<LabelNumber>(label))) {
      return false;
    }
  }
  return true;
}

bool rounds_when_stored(const EinSum& producer) {
  const DType dtype = producer.body.dtype();
  return compute_type(dtype) != dtype && producer.body.nodes.size() > 1;
}

/// Checks that an operand may be computed inside its reader. REQUIRES it is element-wise.
OrRefusal<Done> may_inline(const EinSum& reader, int32_t position, const Vertex& operand,
                           const RuleContext& around, int64_t num_readers) {
  const auto& producer = std::get<EinSum>(operand.op);
  const expr::Access* access = only_access(reader, position);
  if (access != nullptr && is_plain_and_distinct(*access) &&
      copies_part_of_input(operand, around.graph())) {
    return Done{};
  }
  if (num_readers > 1) {
    return Refusal{
        fmt::format("{} has {} readers: each would compute it again", operand.name, num_readers)};
  }
  if (is_contraction(reader, around.context().functions)) {
    return Refusal{fmt::format("{} is a factor of a contraction, whose kernel reads it many times",
                               operand.name)};
  }
  if (access == nullptr) {
    return Refusal{fmt::format("{} is read at several places", operand.name)};
  }
  if (!is_plain_and_distinct(*access)) {
    return Refusal{fmt::format("{} is not read at plain distinct labels", operand.name)};
  }
  if (!reads_every_label(*access, reader)) {
    return Refusal{
        fmt::format("{} would be computed again along the labels it does not have", operand.name)};
  }
  if (rounds_when_stored(producer)) {
    return Refusal{fmt::format("{} is rounded to {} where it is stored", operand.name,
                               name_of(operand.type.dtype))};
  }
  if (reader.body.nodes.size() + producer.body.nodes.size() > kMostNodes) {
    return Refusal{fmt::format("the body would have more than {} nodes", kMostNodes)};
  }
  return Done{};
}

/// Returns the position of a vertex among the operands; adds it if it is missing.
int32_t position_of(std::vector<VertexId>& operands, VertexId vertex) {
  const auto found = std::find(operands.begin(), operands.end(), vertex);
  if (found != operands.end()) {
    return static_cast<int32_t>(found - operands.begin());
  }
  operands.push_back(vertex);
  return static_cast<int32_t>(operands.size()) - 1;
}

/// Translates the producer's label numbers to the reader's: mode m of the producer is read at
/// access.index[m], which is plain.
std::vector<LabelNumber> labels_in_reader(const EinSum& producer, const expr::Access& access) {
  std::vector<LabelNumber> labels(producer.labels.size(), -1);
  for (size_t mode = 0; mode < producer.out.size(); ++mode) {
    labels[static_cast<size_t>(producer.out[mode])] = *expr::plain_label(access.index[mode]);
  }
  return labels;
}

/// Returns the reader with operand number `position` computed in its body.
Vertex inlined(const Vertex& reader, int32_t position, const Vertex& operand) {
  const auto& outer = std::get<EinSum>(reader.op);
  const auto& inner = std::get<EinSum>(operand.op);
  std::vector<VertexId> operands;
  std::vector<int32_t> outer_position;
  for (size_t number = 0; number < reader.operands.size(); ++number) {
    outer_position.push_back(static_cast<int32_t>(number) == position
                                 ? -1
                                 : position_of(operands, reader.operands[number]));
  }
  std::vector<int32_t> inner_position;
  for (const VertexId of_inner : operand.operands) {
    inner_position.push_back(position_of(operands, of_inner));
  }
  const std::vector<LabelNumber> labels = labels_in_reader(inner, *only_access(outer, position));

  expr::ScalarBuilder builder;
  const int32_t root =
      copy_into(builder, outer.body, [&](expr::ScalarBuilder& to, const expr::Node& leaf) {
        const auto* access = std::get_if<expr::Access>(&leaf.op);
        if (access == nullptr) {
          return to.add(leaf);
        }
        if (access->operand != position) {
          return to.access({outer_position[static_cast<size_t>(access->operand)], access->index},
                           leaf.dtype);
        }
        return copy_into(to, inner.body,
                         [&](expr::ScalarBuilder& at, const expr::Node& inner_leaf) {
                           return copy_leaf(at, inner_leaf, labels, inner_position);
                         });
      });
  Vertex merged = reader;
  merged.operands = std::move(operands);
  std::get<EinSum>(merged.op).body = builder.finish(root);
  return merged;
}

Outcome apply(const Vertex& vertex, const RuleContext& around) {
  const auto* reader = std::get_if<EinSum>(&vertex.op);
  if (reader == nullptr) {
    return NotApplied{};
  }
  std::string reasons;
  for (size_t position = 0; position < vertex.operands.size(); ++position) {
    const VertexId id = vertex.operands[position];
    const Vertex& operand = around.graph().at(id);
    if (!is_element_wise(operand)) {
      continue;
    }
    const bool twice = std::count(vertex.operands.begin(), vertex.operands.end(), id) > 1;
    const OrRefusal<Done> inlining = twice ? Refusal{operand.name + " is read at several places"}
                                           : may_inline(*reader, static_cast<int32_t>(position),
                                                        operand, around, around.num_readers(id));
    if (inlining) {
      return Rewritten{{inlined(vertex, static_cast<int32_t>(position), operand)}};
    }
    reasons += (reasons.empty() ? "" : "; ") + inlining.reason();
  }
  return NotApplied{std::move(reasons)};
}

}  // namespace

void register_rule(RuleRegistry& registry) {
  registry.add({"merge_elementwise", "compute element-wise operands inside their only reader",
                Phase::normalize, [] { return VertexRewrite(&apply); }});
}

}  // namespace tessera::optimizer::rule_merge_elementwise
