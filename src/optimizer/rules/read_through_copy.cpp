#include <algorithm>

#include <fmt/format.h>

#include "base/refusal.h"
#include "optimizer/einsum/product.h"
#include "optimizer/einsum/rule.h"
#include "optimizer/einsum/substitution.h"

/// y[i] = ... t[i+1] ... with t[p] = x[p+2] becomes y[i] = ... x[i+3] ...: a statement that reads a
/// copy at an index that is computed reads what was copied, at the two indices composed. So a slice
/// of a slice is a slice, and the copy is left out once all that read it do so. A tensor that is
/// one number everywhere is read as that number. What is read plainly is merge_elementwise's case.
///
/// Conditions, with what goes wrong without them:
/// - the copy is one element as it is stored: in another dtype it was rounded;
/// - a position outside of the copy is outside of what was copied, so at a boundary, or where the
/// position is data, the copy has the whole mode: t[i-1 pad 0] of t[p] = x[p+2] is 0 at i = 0,
/// x[i+1] is not. A number has no position at which data would be refused or padded;
/// - a label that the reader reads plainly stays plain: in y[i,j] = t[i,j+1] of t[p,j] = x[p+2,j]
/// the reader may be cut along i, which a window of x may not;
/// - sums of labels have no other index in them: t[p] = x[2*p] has no element between two, which
/// t[i // 2] reads;
/// - the reader is no contraction, whose kernel reads the copy many times and in order; and it
/// merges nothing where the copy was padded or gathered: max[k] t[i+k] would put each element in
/// order k times.
/// Values stay as they are, whatever they are: nothing is computed.
namespace tessera::optimizer {

namespace {

using einsum::EinSum;
using einsum::Vertex;
using expr::Index;
using expr::LabelNumber;

/// Whether a vertex is a copy of elements or of one number.
bool is_copy(const Vertex& vertex) {
  const auto* einsum = std::get_if<EinSum>(&vertex.op);
  return einsum != nullptr && !einsum->reduction && einsum->body.nodes.size() == 1 &&
         !std::holds_alternative<expr::IndexOf>(einsum->body.nodes[0].op);
}

/// Whether a copy reads positions that are inside and no data.
bool is_in_order(const Vertex& copy) {
  const auto* access = std::get_if<expr::Access>(&std::get<EinSum>(copy.op).body.nodes[0].op);
  return access == nullptr ||
         std::all_of(access->index.begin(), access->index.end(), expr::is_linear);
}

/// The only index of a copy that has a label; null where none has, or several, or one twice.
const Index* only_index_with(const expr::Access& access, LabelNumber label) {
  const Index* only = nullptr;
  for (const Index& index : access.index) {
    if (!expr::mentions(index, label)) {
      continue;
    }
    if (only != nullptr) {
      return nullptr;
    }
    only = &index;
  }
  return only;
}

/// Whether positions outside of the copy, or of data, are those of what was copied.
bool has_whole_mode(const expr::Access& access, const Shape& shape, LabelNumber label,
                    int64_t extent) {
  const Index* index = only_index_with(access, label);
  return index != nullptr && expr::is_plain(*index) &&
         shape[static_cast<size_t>(index - access.index.data())] == extent;
}

/// Whether some index of a copy with a label is a sum of labels.
bool is_in_window(const expr::Access& access, LabelNumber label) {
  return std::any_of(access.index.begin(), access.index.end(), [&](const Index& index) {
    return expr::mentions(index, label) && !expr::is_plain(index);
  });
}

/// Whether what a copy holds may be read where a reader reads the copy, at these indices without
/// their idle boundaries, or what follows "t".
OrRefusal<Done> may_read_through(const Vertex& copy, const Shape& copied, const expr::Access& read,
                                 const std::vector<Index>& indices) {
  const auto& einsum = std::get<EinSum>(copy.op);
  const auto* access = std::get_if<expr::Access>(&einsum.body.nodes[0].op);
  for (size_t mode = 0; mode < indices.size(); ++mode) {
    const LabelNumber label = einsum.out[mode];
    const bool is_whole =
        access != nullptr && has_whole_mode(*access, copied, label, copy.type.shape[mode]);
    if (!expr::is_linear(indices[mode]) && !is_whole) {
      return Refusal{"is read outside of it, or where data say"};
    }
    if (access != nullptr && expr::is_plain(read.index[mode]) && is_in_window(*access, label)) {
      return Refusal{"is read along a label that may be cut"};
    }
  }
  return Done{};
}

bool reads_plainly(const expr::Access& access) {
  return std::all_of(access.index.begin(), access.index.end(),
                     [](const Index& index) { return expr::is_plain(index); });
}

/// Rewrites the reads of a body one by one.
class CopyRewrite {
 public:
  CopyRewrite(const Vertex& vertex, const RuleContext& around)
      : around_(around), vertex_(vertex), made_(vertex) {}

  Outcome run() && {
    const auto& einsum = std::get<EinSum>(vertex_.op);
    expr::ScalarBuilder builder;
    std::vector<int32_t> where;
    for (const expr::Node& node : einsum.body.nodes) {
      const expr::Node now = expr::with_arguments(node, where);
      const std::optional<int32_t> through = read_through(builder, now);
      where.push_back(through ? *through : builder.add(now));
    }
    if (!is_rewritten_) {
      return NotApplied{std::move(reasons_)};
    }
    expr::Scalar& body = std::get<EinSum>(made_.op).body;
    body = builder.finish(where.back());
    made_.operands = take_read_operands(made_.operands, body);
    return Rewritten{{std::move(made_)}};
  }

 private:
  /// What a read of a copy is where it is rewritten; nothing where it is none or stays.
  std::optional<int32_t> read_through(expr::ScalarBuilder& builder, const expr::Node& node) {
    const auto* access = std::get_if<expr::Access>(&node.op);
    if (access == nullptr || reads_plainly(*access)) {
      return std::nullopt;
    }
    const Vertex& copy = around_.graph().at(vertex_.operands[static_cast<size_t>(access->operand)]);
    if (!is_copy(copy)) {
      return std::nullopt;
    }
    const OrRefusal<int32_t> made = element_of(builder, *access, copy);
    if (!made) {
      reasons_ += (reasons_.empty() ? "" : "; ") + copy.name + " " + made.reason();
      return std::nullopt;
    }
    is_rewritten_ = true;
    return *made;
  }

  OrRefusal<int32_t> element_of(expr::ScalarBuilder& builder, const expr::Access& access,
                                const Vertex& copy) {
    const auto& reader = std::get<EinSum>(vertex_.op);
    if (is_contraction(reader, around_.context().functions)) {
      return Refusal{"is a factor of a contraction, whose kernel reads it many times"};
    }
    if (reader.reduction && !is_in_order(copy)) {
      return Refusal{"was padded or gathered once, and is read many times"};
    }
    if (runs_never(reader.labels)) {
      return Refusal{"is read nowhere"};
    }
    const std::vector<Index> indices = indices_of(access, reader.labels, copy.type.shape);
    const Shape copied =
        copy.operands.empty() ? Shape{} : around_.graph().at(copy.operands[0]).type.shape;
    if (const auto reading = may_read_through(copy, copied, access, indices); !reading) {
      return reading.refusal();
    }
    return copy_at(builder, std::get<EinSum>(copy.op).body,
                   place_of_read(around_.graph(), copy, indices, made_));
  }

  const RuleContext& around_;
  const Vertex& vertex_;
  Vertex made_;
  bool is_rewritten_ = false;
  std::string reasons_;
};

Outcome apply(const Vertex& vertex, const RuleContext& around) {
  if (!std::holds_alternative<EinSum>(vertex.op)) {
    return NotApplied{};
  }
  return CopyRewrite(vertex, around).run();
}

}  // namespace

void register_rule_read_through_copy(RuleRegistry& registry) {
  registry.add({"read_through_copy", "read what was copied in place of the copy", Phase::normalize,
                [] { return VertexRewrite(&apply); }});
}

}  // namespace tessera::optimizer
