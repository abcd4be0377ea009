#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/refusal.h"
#include "expr/gather.h"
#include "optimizer/einsum/product.h"
#include "optimizer/einsum/rule.h"
#include "optimizer/einsum/scalar_rewrite.h"
#include "optimizer/einsum/substitution.h"

/// y[m,e] = t[J[m],e] with t[k,e] = x[I[k],e] becomes u[m] = I[J[m]] and y[m,e] = x[u[m],e]: this
/// composes the tables instead of copying the rows of the first gather. Likewise for a table that
/// is read at a sum of labels, y[m,e] = t[m+2,e]: u[m] = I[m+2].
///
/// Conditions, with what goes wrong without them:
/// - nothing else reads t: else t would be made all the same;
/// - the table is smaller than t: for t[k] = x[I[k]] as many elements are read, in two steps either
///   way;
/// - the table is one tensor, read by a gather of t alone: an index that is computed in another way
///   has no table;
/// - t's positions lie inside of it, or are data: at t[m-1 pad 0] there is no entry of the table,
/// and 0 is an element of t, not of I;
/// - t's other labels are read plainly: t[k,e] = x[I[k],e+1] is a window, the case of
///   read_through_copy.
/// An entry of I that names no row of x is a fault when it is used, so one that J leaves out is
/// none. Values stay the same: nothing is computed.
namespace tessera::optimizer::rule_compose_gathers {

namespace {

using einsum::EinSum;
using einsum::Vertex;
using expr::Index;
using expr::LabelNumber;

using expr::Gather;

/// Reads a vertex as a gather; nothing if it is anything else.
std::optional<Gather> gather_of(const Vertex& vertex) {
  const auto* einsum = std::get_if<EinSum>(&vertex.op);
  return einsum == nullptr || einsum->reduction ? std::nullopt : expr::gather_of(einsum->body);
}

bool has_label(const expr::Access& access, LabelNumber label) {
  return std::any_of(access.index.begin(), access.index.end(),
                     [&](const Index& index) { return expr::mentions(index, label); });
}

/// Returns the number of the node that reads an operand; nothing if several do.
std::optional<int32_t> only_read(const expr::Scalar& body, int32_t operand) {
  std::optional<int32_t> found;
  for (size_t node = 0; node < body.nodes.size(); ++node) {
    const auto* access = std::get_if<expr::Access>(&body.nodes[node].op);
    if (access == nullptr || access->operand != operand) {
      continue;
    }
    if (found) {
      return std::nullopt;
    }
    found = static_cast<int32_t>(node);
  }
  return found;
}

/// Checks that the indices at which a gather is read may be those of its table; a refusal goes on
/// after "t".
OrRefusal<Done> may_compose(const Gather& gather, const Vertex& read, const Shape& table,
                            const std::vector<Index>& indices) {
  const auto& copy = std::get<EinSum>(read.op);
  bool is_computed = false;
  for (size_t mode = 0; mode < indices.size(); ++mode) {
    const bool is_of_table = has_label(gather.table, copy.out[mode]);
    const bool is_of_rest = has_label(gather.copied, copy.out[mode]);
    const bool is_data = std::holds_alternative<expr::GatheredIndex>(indices[mode]);
    const bool is_inside = std::holds_alternative<expr::Inside>(expr::boundary_of(indices[mode]));
    if (!is_inside ||
        (is_data && !has_whole_mode(gather.table, table, copy.out[mode], read.type.shape[mode]))) {
      return Refusal{"is read outside of it, or where no table is"};
    }
    if (is_of_rest && !expr::is_plain_or_fixed(indices[mode])) {
      return Refusal{"is read at a computed index beside its table"};
    }
    is_computed = is_computed || (is_of_table && !expr::is_plain(indices[mode]));
  }
  return is_computed ? OrRefusal<Done>(Done{}) : Refusal{"is read as it is"};
}

/// The table read at the reader's places: a vertex over the labels of the gather's read.
struct ComposedTable {
  Vertex vertex;
  std::vector<Index> index;  // the reader's labels, one a mode of the vertex
};

class GatherRewrite {
 public:
  GatherRewrite(const Vertex& vertex, RuleContext& around) : vertex_(vertex), around_(around) {}

  OrRefusal<Rewritten> run(size_t operand) {
    const einsum::VertexId id = vertex_.operands[operand];
    const Vertex& read = around_.graph().at(id);
    const auto& reader = std::get<EinSum>(vertex_.op);
    const Gather gather = *gather_of(read);
    const std::optional<int32_t> node = only_read(reader.body, static_cast<int32_t>(operand));
    if (around_.num_readers(id) > 1 || !node) {
      return Refusal{"is read at several places"};
    }
    if (runs_never(reader.labels)) {
      return Refusal{"is read nowhere"};
    }
    const auto& access = std::get<expr::Access>(reader.body.nodes[static_cast<size_t>(*node)].op);
    const std::vector<Index> indices = indices_of(access, reader.labels, read.type.shape);
    const einsum::VertexId table_id = read.operands[static_cast<size_t>(gather.table.operand)];
    const Shape& table_shape = around_.graph().at(table_id).type.shape;
    if (const auto composing = may_compose(gather, read, table_shape, indices); !composing) {
      return composing.refusal();
    }
    OrRefusal<ComposedTable> table = composed_table(read, gather, indices);
    if (!table) {
      return table.refusal();
    }
    if (num_elements(table->vertex.type) >= num_elements(read.type)) {
      return Refusal{"is no larger than the table that would be made"};
    }
    return Rewritten{{table->vertex, reader_of(read, gather, indices, *node, *table)}};
  }

 private:
  static double num_elements(const ArrayType& type) {
    double elements = 1;
    for (const int64_t extent : type.shape) {
      elements *= static_cast<double>(extent);
    }
    return elements;
  }

  /// Copies the part of the reader below an index of the gather. Indices then name its nodes.
  static std::vector<Index> copy_gathered(expr::ScalarBuilder& builder, const expr::Scalar& body,
                                          std::vector<Index> indices) {
    for (Index& index : indices) {
      expr::for_each_node(
          index, [&](int32_t& node) { node = builder.inline_scalar(part_of(body, node), {}); });
    }
    return indices;
  }

  OrRefusal<ComposedTable> composed_table(const Vertex& read, const Gather& gather,
                                          const std::vector<Index>& indices) {
    const auto& reader = std::get<EinSum>(vertex_.op);
    Vertex over = vertex_;  // the reader's labels and operands, and the table's
    expr::ScalarBuilder builder;
    const std::vector<Index> at = copy_gathered(builder, reader.body, indices);
    const expr::Scalar table = expr::scalar_of(gather.table, gather.table_dtype);
    const OrRefusal<int32_t> root =
        copy_at(builder, table, place_of_read(around_.graph(), read, at, over));
    if (!root) {
      return root.refusal();
    }
    return table_vertex(over, reader, builder.finish(*root), gather.table_dtype);
  }

  ComposedTable table_vertex(const Vertex& over, const EinSum& reader, expr::Scalar body,
                             DType dtype) {
    ComposedTable made{over, {}};
    made.vertex.operands = take_read_operands(over.operands, body);
    made.vertex.labels.clear();
    made.vertex.type = {dtype, {}};
    EinSum einsum;
    std::vector<LabelNumber> numbers(reader.labels.size(), -1);
    std::vector<LabelNumber> labels = labels_in(body);
    std::sort(labels.begin(), labels.end());  // in the reader's order
    for (const LabelNumber label : labels) {
      const auto number = static_cast<LabelNumber>(einsum.labels.size());
      numbers[static_cast<size_t>(label)] = number;
      einsum.labels.push_back(reader.labels[static_cast<size_t>(label)]);
      einsum.out.push_back(number);
      made.vertex.labels.push_back(einsum.labels.back().name);
      made.vertex.type.shape.push_back(einsum.labels.back().extent);
      made.index.push_back(expr::plain(label));
    }
    for (expr::Node& node : body.nodes) {
      expr::for_each_label(
          node, [&](LabelNumber& label) { label = numbers[static_cast<size_t>(label)]; });
    }
    einsum.body = std::move(body);
    made.vertex.op = std::move(einsum);
    made.vertex.name = around_.fresh_name(vertex_.name);
    return made;
  }

  /// Returns the reader with the copied tensor read at the composed table.
  Vertex reader_of(const Vertex& read, const Gather& gather, const std::vector<Index>& indices,
                   int32_t node, const ComposedTable& table) const {
    Vertex made = vertex_;
    ReadPlace place = place_of_read(around_.graph(), read, indices, made);
    const auto operand = static_cast<int32_t>(made.operands.size());
    made.operands.emplace_back(static_cast<int64_t>(around_.graph().vertices.size()));
    expr::Scalar& body = std::get<EinSum>(made.op).body;
    expr::ScalarBuilder builder;
    std::vector<int32_t> where;
    for (size_t number = 0; number < body.nodes.size(); ++number) {
      if (static_cast<int32_t>(number) != node) {
        where.push_back(builder.add(expr::with_arguments(body.nodes[number], where)));
        continue;
      }
      const int32_t entry = builder.access({operand, table.index}, gather.table_dtype);
      expr::Access access = gather.copied;
      access.operand = place.operands[static_cast<size_t>(access.operand)];
      const Shape& shape =
          around_.graph().at(made.operands[static_cast<size_t>(access.operand)]).type.shape;
      for (size_t mode = 0; mode < access.index.size(); ++mode) {
        if (const std::optional<LabelNumber> label = expr::plain_label(access.index[mode])) {
          access.index[mode] =
              fitting(place.at[static_cast<size_t>(*label)], place.labels, shape[mode]);
        }
      }
      std::get<expr::GatheredIndex>(access.index[gather.mode]).node = entry;
      where.push_back(builder.access(std::move(access), read.type.dtype));
    }
    body = builder.finish(where.back());
    made.operands = take_read_operands(made.operands, body);
    return made;
  }

  const Vertex& vertex_;
  RuleContext& around_;
};

Outcome apply(const Vertex& vertex, RuleContext& around) {
  if (!std::holds_alternative<EinSum>(vertex.op)) {
    return NotApplied{};
  }
  std::string reasons;
  for (size_t operand = 0; operand < vertex.operands.size(); ++operand) {
    const Vertex& read = around.graph().at(vertex.operands[operand]);
    if (!gather_of(read)) {
      continue;
    }
    OrRefusal<Rewritten> made = GatherRewrite(vertex, around).run(operand);
    if (made) {
      return std::move(*made);
    }
    reasons += (reasons.empty() ? "" : "; ") + read.name + " " + made.reason();
  }
  return NotApplied{std::move(reasons)};
}

}  // namespace

void register_rule(RuleRegistry& registry) {
  registry.add({"compose_gathers", "gather by the composition of two tables at once",
                Phase::normalize, [] { return VertexRewrite(&apply); }});
}

}  // namespace tessera::optimizer::rule_compose_gathers
