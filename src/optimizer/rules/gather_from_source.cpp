#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "expr/gather.h"
#include "machine/file_cost.h"
#include "optimizer/einsum/rule.h"
#include "optimizer/einsum/scalar_rewrite.h"
#include "optimizer/einsum/substitution.h"

/// y = ... T[I[n], e] ... of an input T becomes u[n,e] = T[I[n], e], read from T's file at the rows
/// that I names, and y = ... u[n,e] ...: no tile of T is made, so that T may be as large as it
/// wants, and of what I does not name no byte is read. Of T[I[n] + 1, e] the positions become a
/// table of their own, p[n] = I[n] + 1.
///
/// Conditions, with what goes wrong without them:
/// - T is an input: of what is computed all is made, and there is no file;
/// - that takes less time than to read all of T, or the reader's share of it where several read it:
/// a million entries that name rows of a table of a hundred read each of them ten thousand times;
/// - one mode is gathered, and T's other modes are read at labels, each label once: an entry then
/// stands for a part of u that lies in T as it does in u. Of T[I[n], n] it does not;
/// - a position outside of T is a fault, which the run reports; a pad is no element of the file;
/// - T's file is row-major: of the other kind a row is in as many places as it has elements.
/// Values stay as they are: nothing is computed.
namespace tessera::optimizer {

namespace {

using einsum::EinSum;
using einsum::Vertex;
using expr::LabelNumber;

/// One gather in a statement's expression: its node, and as an expression of its own.
struct FoundGather {
  int32_t node = 0;
  expr::Scalar expression;
  std::vector<LabelNumber> labels;  // of what is gathered
  /// Its table, where that is computed: the expression reads it as an operand behind the reader's.
  std::optional<expr::Scalar> table;
};

bool is_gathered(const expr::Access& access) {
  return std::any_of(access.index.begin(), access.index.end(), [](const expr::Index& index) {
    return std::holds_alternative<expr::GatheredIndex>(index);
  });
}

/// The labels of what a gather gives, in the order of T; nothing where some index is none.
std::optional<std::vector<LabelNumber>> labels_gathered(const expr::Gather& gather) {
  std::vector<LabelNumber> labels;
  for (size_t mode = 0; mode < gather.copied.index.size(); ++mode) {
    if (const auto label = expr::plain_label(gather.copied.index[mode])) {
      labels.push_back(*label);
      continue;
    }
    for (const expr::Index& index : gather.table.index) {
      const auto of_table = expr::plain_label(index);
      if (mode != gather.mode || !of_table) {
        return std::nullopt;
      }
      labels.push_back(*of_table);
    }
  }
  return labels;
}

/// The node that says the positions of the one gathered mode; -1 where several do.
int32_t positions_of(const expr::Access& access) {
  int32_t positions = -1;
  for (const expr::Index& index : access.index) {
    if (const auto* gathered = std::get_if<expr::GatheredIndex>(&index)) {
      if (positions >= 0) {
        return -1;
      }
      positions = gathered->node;
    }
  }
  return positions;
}

bool is_table(const expr::Node& node) {
  const auto* access = std::get_if<expr::Access>(&node.op);
  return access != nullptr &&
         std::all_of(access->index.begin(), access->index.end(), expr::is_plain_or_fixed);
}

/// The gather with its positions read of a table, which is this operand.
expr::Scalar read_at_table(const expr::Scalar& body, const FoundGather& found, int32_t positions,
                           int32_t operand) {
  std::vector<expr::Index> index;
  for (const LabelNumber label : expr::labels_below(body, positions)) {
    index.push_back(expr::plain(label));
  }
  expr::ScalarBuilder builder;
  const int32_t table = builder.access({operand, std::move(index)}, found.table->dtype());
  const expr::Node& node = body.nodes[static_cast<size_t>(found.node)];
  auto access = std::get<expr::Access>(node.op);
  for (expr::Index& one : access.index) {
    if (auto* gathered = std::get_if<expr::GatheredIndex>(&one)) {
      gathered->node = table;
    }
  }
  return builder.finish(builder.access(std::move(access), node.dtype));
}

/// What the gather at a node reads, if that can be read from a source, a computed table as an
/// operand of that number; a refusal says what follows "T".
OrRefusal<FoundGather> found_at(const expr::Scalar& body, int32_t node, int32_t table_operand) {
  FoundGather found{node, part_of(body, node), {}, {}};
  const int32_t positions =
      positions_of(std::get<expr::Access>(body.nodes[static_cast<size_t>(node)].op));
  if (positions >= 0 && !is_table(body.nodes[static_cast<size_t>(positions)])) {
    found.table = part_of(body, positions);
    found.expression = read_at_table(body, found, positions, table_operand);
  }
  const std::optional<expr::Gather> gather = expr::gather_of(found.expression);
  const auto labels = gather ? labels_gathered(*gather) : std::nullopt;
  if (!labels) {
    return Refusal{"is not read at one table and at labels"};
  }
  if (!expr::gather_in_order(found.expression, *labels)) {
    return Refusal{"is read at a label twice, or has a boundary"};
  }
  found.labels = *labels;
  return found;
}

/// The seconds to gather from an array, and to read all of it.
struct Seconds {
  double gathered = 0;
  double all = 0;
};

Seconds seconds_of(const FoundGather& found, const std::vector<expr::LabelDecl>& labels,
                   const ArrayType& type, const FileCosts& costs) {
  const expr::Gather gather = *expr::gather_of(found.expression);
  const FileArray array{type.shape, size_of(type.dtype)};
  Shape extent = type.shape;
  extent[gather.mode] = 1;
  for (const expr::Index& index : gather.table.index) {
    extent[gather.mode] *= labels[static_cast<size_t>(*expr::plain_label(index))].extent;
  }
  return {gather_estimate(array, gather.mode, extent, costs).seconds,
          file_estimate(array, type.shape, FileDirection::read, costs).seconds};
}

/// An expression of the reader as a vertex over these labels.
Vertex vertex_of(const expr::Scalar& expression, const std::vector<LabelNumber>& over,
                 const Vertex& reader) {
  const std::vector<expr::LabelDecl>& labels = einsum::labels_of(reader.op);
  Vertex made = reader;
  made.labels.clear();
  made.type = {expression.dtype(), {}};
  EinSum einsum;
  std::vector<LabelNumber> numbers(labels.size(), -1);
  for (const LabelNumber label : over) {
    numbers[static_cast<size_t>(label)] = static_cast<LabelNumber>(einsum.labels.size());
    einsum.out.push_back(numbers[static_cast<size_t>(label)]);
    einsum.labels.push_back(labels[static_cast<size_t>(label)]);
    made.labels.push_back(einsum.labels.back().name);
    made.type.shape.push_back(einsum.labels.back().extent);
  }
  einsum.body = expression;
  for (expr::Node& node : einsum.body.nodes) {
    expr::for_each_label(node,
                         [&](LabelNumber& label) { label = numbers[static_cast<size_t>(label)]; });
  }
  made.operands = take_read_operands(reader.operands, einsum.body);
  made.op = std::move(einsum);
  return made;
}

/// A statement whose gathers become vertices. `known` are those that others became before.
class GatherRewrite {
 public:
  GatherRewrite(const Vertex& vertex, RuleContext& around, std::vector<einsum::VertexId>& known)
      : reader_(vertex), around_(around), known_(known) {}

  Outcome run() {
    EinSum& einsum = std::get<EinSum>(reader_.op);
    const std::vector<FoundGather> found = found_in(einsum.body);
    if (found.empty()) {
      return NotApplied{reasons_};
    }
    const bool is_all = found.front().node + 1 == static_cast<int32_t>(einsum.body.nodes.size());
    if (!einsum.reduction && is_all && found.front().labels == einsum.out) {
      if (found.front().table) {
        reader_.operands = operands_with_table(found.front());
        einsum.body = found.front().expression;
        reader_.operands = take_read_operands(reader_.operands, einsum.body);
      }
      einsum.gathers_source = true;
      known_.push_back(next_made());
      made_.push_back(std::move(reader_));
      return Rewritten{std::move(made_)};
    }
    for (const FoundGather& gather : found) {
      add_gather(gather);
    }
    read_made(found);
    made_.push_back(std::move(reader_));
    return Rewritten{std::move(made_)};
  }

 private:
  std::vector<FoundGather> found_in(const expr::Scalar& body) {
    std::vector<FoundGather> all;
    for (size_t number = 0; number < body.nodes.size(); ++number) {
      const auto* access = std::get_if<expr::Access>(&body.nodes[number].op);
      if (access == nullptr || !is_gathered(*access)) {
        continue;
      }
      const einsum::VertexId source = reader_.operands[static_cast<size_t>(access->operand)];
      OrRefusal<FoundGather> found = found_at(body, static_cast<int32_t>(number),
                                              static_cast<int32_t>(reader_.operands.size()));
      const auto pays = found ? pays_for(*found, source) : OrRefusal<Done>(found.refusal());
      if (pays) {
        all.push_back(std::move(*found));
      } else {
        reasons_ += fmt::format("{}{} {}", reasons_.empty() ? "" : "; ",
                                around_.graph().at(source).name, pays.reason());
      }
    }
    return all;
  }

  OrRefusal<Done> pays_for(const FoundGather& found, einsum::VertexId source) const {
    const Vertex& read = around_.graph().at(source);
    const auto* input = std::get_if<einsum::Input>(&read.op);
    if (input == nullptr) {
      return Refusal{"is no input"};
    }
    if (input->order != StorageOrder::row_major) {
      return Refusal{"is column-major in its file"};
    }
    const Seconds seconds = seconds_of(found, einsum::labels_of(reader_.op), read.type,
                                       around_.context().machine.files);
    const double share = seconds.all / static_cast<double>(around_.num_readers(source));
    if (seconds.gathered >= share) {
      return Refusal{fmt::format("is read sooner as a whole: {:.2g} s against {:.2g} s", share,
                                 seconds.gathered)};
    }
    return Done{};
  }

  einsum::VertexId next_made() const {
    return einsum::VertexId(static_cast<int64_t>(around_.graph().vertices.size() + made_.size()));
  }

  const Vertex& at(einsum::VertexId id) const {
    const std::vector<Vertex>& built = around_.graph().vertices;
    return id.index() < built.size() ? built[id.index()] : made_[id.index() - built.size()];
  }

  /// One vertex for all that are equal.
  einsum::VertexId add(Vertex vertex) {
    const auto same = std::find_if(known_.begin(), known_.end(), [&](einsum::VertexId other) {
      return at(other).op == vertex.op && at(other).operands == vertex.operands;
    });
    if (same != known_.end()) {
      return *same;
    }
    vertex.name = around_.fresh_name(reader_.name);
    known_.push_back(next_made());
    made_.push_back(std::move(vertex));
    return known_.back();
  }

  /// The reader's operands, and behind them the table of a gather that computes one.
  std::vector<einsum::VertexId> operands_with_table(const FoundGather& found) {
    std::vector<einsum::VertexId> operands = reader_.operands;
    if (found.table) {
      const auto root = static_cast<int32_t>(found.table->nodes.size()) - 1;
      operands.push_back(
          add(vertex_of(*found.table, expr::labels_below(*found.table, root), reader_)));
    }
    return operands;
  }

  void add_gather(const FoundGather& found) {
    Vertex reader = reader_;
    reader.operands = operands_with_table(found);
    Vertex gather = vertex_of(found.expression, found.labels, reader);
    std::get<EinSum>(gather.op).gathers_source = true;
    gathered_.push_back(add(std::move(gather)));
  }

  /// The statement with what was found read where it is made.
  void read_made(const std::vector<FoundGather>& found) {
    expr::Scalar& body = std::get<EinSum>(reader_.op).body;
    auto operand = static_cast<int32_t>(reader_.operands.size());
    reader_.operands.insert(reader_.operands.end(), gathered_.begin(), gathered_.end());
    expr::ScalarBuilder builder;
    std::vector<int32_t> where;
    auto next = found.begin();
    for (size_t number = 0; number < body.nodes.size(); ++number) {
      if (next == found.end() || next->node != static_cast<int32_t>(number)) {
        where.push_back(builder.add(expr::with_arguments(body.nodes[number], where)));
        continue;
      }
      std::vector<expr::Index> index;
      std::transform(next->labels.begin(), next->labels.end(), std::back_inserter(index),
                     expr::plain);
      where.push_back(builder.access({operand++, std::move(index)}, body.nodes[number].dtype));
      ++next;
    }
    body = builder.finish(where.back());
    reader_.operands = take_read_operands(reader_.operands, body);
  }

  Vertex reader_;
  RuleContext& around_;
  std::vector<einsum::VertexId>& known_;  // that gather, and tables of these
  std::string reasons_;
  std::vector<Vertex> made_;
  std::vector<einsum::VertexId> gathered_;  // by what was found
};

/// Remembers what gathers in the graph that a sweep builds.
VertexRewrite begin_sweep() {
  return [known = std::vector<einsum::VertexId>()](const Vertex& vertex,
                                                   RuleContext& around) mutable -> Outcome {
    const auto* einsum = std::get_if<EinSum>(&vertex.op);
    if (einsum == nullptr || einsum->gathers_source) {
      return NotApplied{};
    }
    return GatherRewrite(vertex, around, known).run();
  };
}

}  // namespace

void register_rule_gather_from_source(RuleRegistry& registry) {
  registry.add({"gather_from_source", "read of an input what a table names, and no more",
                Phase::placed, &begin_sweep});
}

}  // namespace tessera::optimizer
