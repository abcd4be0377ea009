#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "base/refusal.h"
#include "optimizer/einsum/product.h"
#include "optimizer/einsum/rule.h"
#include "optimizer/einsum/substitution.h"

/// y[i] = ... t[i+1] ... with t[p] = x[p+2] becomes y[i] = ... x[i+3] ...: a statement that reads a
/// copy at a computed index reads the original, at the two indices composed. So a slice of a slice
/// is a slice, and the copy is removed once all its readers read the original. A tensor that is one
/// number everywhere is read as that number. Plain reads are the case of merge_elementwise.
///
/// Conditions, with what goes wrong without them:
/// - the copy is one element in its stored dtype: in another dtype it was rounded;
/// - a position outside of the copy is outside of the original, so at a boundary, or if the
///   position is data, the copy has the whole mode: t[i-1 pad 0] of t[p] = x[p+2] is 0 at i = 0,
///   x[i+1] is not. A number has no position at which data would be refused or padded;
/// - two pads are one number: for t[p,j] = x[p-1 pad 3,j], t[0,j-1 pad 0] is 0 at j = 0, where both
///   modes of x are outside;
/// - a label that the reader reads plainly stays plain: in y[i,j] = t[i,j+1] of t[p,j] = x[p+2,j]
///   the reader may be cut along i, while a window of x may not;
/// - sums of labels have no other index in them: t[p] = x[2*p] has no element between two, but t[i
/// 2] reads there;
/// - the reader is no contraction, whose kernel reads the copy many times and in order; and it
///   merges nothing if the copy was padded or gathered: max[k] t[i+k] would put each element in
///   order k times;
/// - a part of x has one reader: each of several would read x as a whole;
/// - a statement reads the copy only in this way: else the copy is made, and x read beside it.
/// Values stay the same, whatever they are: nothing is computed.
namespace tessera::optimizer::rule_read_through_copy {

namespace {

using einsum::EinSum;
using einsum::Vertex;
using expr::Index;
using expr::LabelNumber;

/// True if a vertex is a copy of elements or of one number.
bool is_copy(const Vertex& vertex) {
  const auto* einsum = std::get_if<EinSum>(&vertex.op);
  return einsum != nullptr && !einsum->reduction && einsum->body.nodes.size() == 1 &&
         !std::holds_alternative<expr::IndexOf>(einsum->body.nodes[0].op);
}

/// True if a copy reads positions that are inside and no data.
bool is_in_order(const Vertex& copy) {
  const auto* access = std::get_if<expr::Access>(&std::get<EinSum>(copy.op).body.nodes[0].op);
  return access == nullptr ||
         std::all_of(access->index.begin(), access->index.end(), expr::is_linear);
}

/// True if some index of a copy with a label is a sum of labels.
bool is_in_window(const expr::Access& access, LabelNumber label) {
  return std::any_of(access.index.begin(), access.index.end(), [&](const Index& index) {
    return expr::mentions(index, label) && !expr::is_plain(index);
  });
}

/// Returns the number that pads an index; null if none does.
const Literal* pad_of(const Index& index) {
  const auto* pad = std::get_if<expr::Pad>(&expr::boundary_of(index));
  return pad == nullptr ? nullptr : &pad->value;
}

/// True if a copy is padded with another number than this one.
bool is_padded_otherwise(const expr::Access& copied, const Literal& pad) {
  return std::any_of(copied.index.begin(), copied.index.end(), [&](const Index& index) {
    const Literal* own = pad_of(index);
    return own != nullptr && *own != pad;
  });
}

/// Checks that the original may be read where a reader reads the copy, at these indices without
/// their idle boundaries; a refusal goes on after "t".
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
    const Literal* pad = pad_of(indices[mode]);
    if (access != nullptr && pad != nullptr && is_padded_otherwise(*access, *pad)) {
      return Refusal{"is padded with another number than the copy was"};
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

double num_elements(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), 1.0, std::multiplies<>());
}

/// A rewrite of the reads of copies, of those that are read through everywhere.
class CopyRewrite {
 public:
  CopyRewrite(const Vertex& vertex, const RuleContext& around)
      : around_(around), vertex_(vertex), made_(vertex), stays_(vertex.operands.size(), false) {}

  Outcome run() && {
    find_what_stays();
    const auto& einsum = std::get<EinSum>(vertex_.op);
    expr::ScalarBuilder builder;
    std::vector<int32_t> where;
    bool is_rewritten = false;
    for (const expr::Node& node : einsum.body.nodes) {
      const expr::Node now = expr::with_arguments(node, where);
      const auto* access = std::get_if<expr::Access>(&now.op);
      const bool is_through = access != nullptr && !stays_[static_cast<size_t>(access->operand)];
      where.push_back(is_through ? *element_of(builder, *access) : builder.add(now));
      is_rewritten = is_rewritten || is_through;
    }
    if (!is_rewritten) {
      return NotApplied{std::move(reasons_)};
    }
    expr::Scalar& body = std::get<EinSum>(made_.op).body;
    body = builder.finish(where.back());
    made_.operands = take_read_operands(made_.operands, body);
    return Rewritten{{std::move(made_)}};
  }

 private:
  const Vertex& operand_of(const expr::Access& access) const {
    return around_.graph().at(vertex_.operands[static_cast<size_t>(access.operand)]);
  }

  /// Notes the operands that are no copies, or have a read that must stay.
  void find_what_stays() {
    for (const expr::Access* access : expr::accesses_of(std::get<EinSum>(vertex_.op).body)) {
      const Vertex& operand = operand_of(*access);
      bool stays = !is_copy(operand) || reads_plainly(*access);
      if (!stays) {
        expr::ScalarBuilder unused;
        const OrRefusal<int32_t> element = element_of(unused, *access);
        stays = !element;
        reasons_ +=
            element ? "" : (reasons_.empty() ? "" : "; ") + operand.name + " " + element.reason();
      }
      if (stays) {
        stays_[static_cast<size_t>(access->operand)] = true;
      }
    }
  }

  /// Makes the element of the original that an access of a copy reads; a refusal goes on after "t".
  OrRefusal<int32_t> element_of(expr::ScalarBuilder& builder, const expr::Access& access) {
    const Vertex& copy = operand_of(access);
    const auto& reader = std::get<EinSum>(vertex_.op);
    if (const auto gaining = may_gain(reader, access); !gaining) {
      return gaining.refusal();
    }
    if (runs_never(reader.labels)) {
      return Refusal{"is read nowhere"};
    }
    const std::vector<Index> indices = indices_of(access, reader.labels, copy.type.shape);
    if (const auto reading = may_read_through(copy, shape_of_copied(copy), access, indices);
        !reading) {
      return reading.refusal();
    }
    return copy_at(builder, std::get<EinSum>(copy.op).body,
                   place_of_read(around_.graph(), copy, indices, made_));
  }

  Shape shape_of_copied(const Vertex& copy) const {
    return copy.operands.empty() ? Shape{} : around_.graph().at(copy.operands[0]).type.shape;
  }

  /// Checks that reading the original is no more work than reading the copy.
  OrRefusal<Done> may_gain(const EinSum& reader, const expr::Access& access) const {
    const Vertex& copy = operand_of(access);
    const int64_t num_readers =
        around_.num_readers(vertex_.operands[static_cast<size_t>(access.operand)]);
    if (is_contraction(reader, around_.context().functions)) {
      return Refusal{"is a factor of a contraction, whose kernel reads it many times"};
    }
    if (reader.reduction && !is_in_order(copy)) {
      return Refusal{"was padded or gathered once, and is read many times"};
    }
    if (num_readers > 1 && num_elements(copy.type.shape) < num_elements(shape_of_copied(copy))) {
      return Refusal{fmt::format("is a part that has {} readers", num_readers)};
    }
    return Done{};
  }

  const RuleContext& around_;
  const Vertex& vertex_;
  Vertex made_;
  std::vector<bool> stays_;  // by operand
  std::string reasons_;
};

Outcome apply(const Vertex& vertex, const RuleContext& around) {
  if (!std::holds_alternative<EinSum>(vertex.op)) {
    return NotApplied{};
  }
  return CopyRewrite(vertex, around).run();
}

}  // namespace

void register_rule(RuleRegistry& registry) {
  registry.add({"read_through_copy", "read what was copied in place of the copy", Phase::normalize,
                [] { return VertexRewrite(&apply); }});
}

}  // namespace tessera::optimizer::rule_read_through_copy
