// Long because the gathers of a statement, and the modes that are separated from them, share the
// definition of a table.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "expr/table_gather.h"
#include "machine/file_cost.h"
#include "optimizer/einsum/rule.h"
#include "optimizer/einsum/scalar_rewrite.h"
#include "optimizer/einsum/substitution.h"

/// y = ... T[I[n], e] ... of an input T becomes u[n,e] = T[I[n], e], read from T's file at the rows
/// that I names, and y = ... u[n,e] ...: no tile of T is made, so T may be of any size, and rows
/// that I does not name are not read. For T[I[n] + 1, e] the positions become a table of their own,
/// p[n] = I[n] + 1. T[I[n], J[n], e] and T[0, I[n], e] are read likewise.
///
/// Conditions, with what goes wrong without them:
/// - T is an input: a computed tensor is made whole, and has no file;
/// - it takes less time than to read all of T, or the reader's share of it if several read it: a
///   million entries that name rows of a table of a hundred read each of them ten thousand times;
/// - the tables are read at the same labels, and T's other modes at labels, each label once, or at
///   fixed places, with only fixed places between two gathered modes: an entry then stands for a
///   part of u that is contiguous in T too. In T[I[n], n] and T[I[n], e, J[n]] it is not;
/// - a position outside of T is a fault, which the run reports; a pad is no element of the file;
/// - T's file is row-major: in a column-major file a row is scattered over as many places as it has
///   elements.
/// Values stay the same: nothing is computed.
///
/// If a budget does not hold T (RewriteWishes::largest_gathered_bytes), time and the order of its
/// file do not matter; and a read at entries of several tables, T[I[n], J[p]], is gathered by rows:
/// u[n,p'] = T[I[n],p'], which is read as u[n, J[p]].
namespace tessera::optimizer::rule_gather_from_source {

namespace {

using einsum::EinSum;
using einsum::Vertex;
using expr::LabelNumber;

/// A gather in a statement's expression: its node, and the gather as an expression of its own.
struct FoundGather {
  int32_t node = 0;
  expr::Scalar expression;
  std::vector<LabelNumber> labels;  // of the gathered tensor
  /// A mode of the source that is gathered whole. Each has a label of its own, which follows those
  /// of the reader, and the reader reads it as it read the source.
  struct WholeMode {
    expr::LabelDecl label;
    expr::Index index;
  };
  std::vector<WholeMode> whole;
  /// A computed table. The expression reads these as operands behind the reader's, at these labels.
  struct Computed {
    expr::Scalar positions;
    std::vector<LabelNumber> labels;
  };
  std::vector<Computed> computed;
};

bool is_gathered(const expr::Access& access) {
  return std::any_of(access.index.begin(), access.index.end(), [](const expr::Index& index) {
    return std::holds_alternative<expr::GatheredIndex>(index);
  });
}

/// True if a gather is read at tables and labels, and its tables at equal labels.
bool is_at_tables(const expr::Scalar& gather) {
  std::optional<std::vector<expr::Index>> entries;
  for (const expr::Index& index : std::get<expr::Access>(gather.nodes.back().op).index) {
    const auto* gathered = std::get_if<expr::GatheredIndex>(&index);
    if (gathered == nullptr && !expr::is_plain_or_fixed(index)) {
      return false;
    }
    if (gathered != nullptr) {
      const auto& table =
          std::get<expr::Access>(gather.nodes[static_cast<size_t>(gathered->node)].op);
      const bool is_at_labels =
          std::all_of(table.index.begin(), table.index.end(),
                      [](const expr::Index& one) { return expr::is_plain(one); });
      if (!is_at_labels || (entries && *entries != table.index)) {
        return false;
      }
      entries = table.index;
    }
  }
  return true;
}

bool is_table(const expr::Node& node) {
  const auto* access = std::get_if<expr::Access>(&node.op);
  return access != nullptr &&
         std::all_of(access->index.begin(), access->index.end(),
                     [](const expr::Index& index) { return expr::is_plain(index); });
}

/// Returns the labels that positions are computed from, in the order of a table that is read at the
/// same.
std::vector<LabelNumber> labels_of_entries(const expr::Scalar& body, int32_t positions,
                                           const expr::Access& gathered) {
  const std::vector<LabelNumber> own = expr::labels_below(body, positions);
  for (const expr::Index& index : gathered.index) {
    const auto* other = std::get_if<expr::GatheredIndex>(&index);
    if (other != nullptr && is_table(body.nodes[static_cast<size_t>(other->node)])) {
      std::vector<LabelNumber> labels;
      expr::for_each_label(body.nodes[static_cast<size_t>(other->node)],
                           [&](LabelNumber label) { labels.push_back(label); });
      if (std::is_permutation(labels.begin(), labels.end(), own.begin(), own.end())) {
        return labels;
      }
    }
  }
  return own;
}

/// A read of a source that gathers some modes whole.
struct WholeModes {
  std::vector<expr::Index> index;  // by mode, those modes at labels of their own
  std::vector<FoundGather::WholeMode> modes;
};

/// Returns the reader's own read of the source, with no mode gathered whole.
WholeModes as_read(const expr::Scalar& body, int32_t node) {
  return {std::get<expr::Access>(body.nodes[static_cast<size_t>(node)].op).index, {}};
}

/// A separation of modes whose positions do not depend on the table of the first gathered mode:
/// T[I[n], J[p]] is read as u[n, p'] = T[I[n], p'], so that rows are gathered, and u[n, J[p]].
/// Labels of whole modes follow those of the reader.
class ModeSeparation {
 public:
  ModeSeparation(const expr::Scalar& body, int32_t node, const Vertex& source, const Vertex& reader)
      : body_(body),
        access_(std::get<expr::Access>(body.nodes[static_cast<size_t>(node)].op)),
        source_(source),
        labels_(einsum::labels_of(reader.op)) {}

  /// Separates the modes; nothing if no mode can be gathered by itself.
  std::optional<WholeModes> run() && {
    const auto first = std::find_if(access_.index.begin(), access_.index.end(),
                                    [](const expr::Index& index) { return may_gather(index); });
    if (first == access_.index.end()) {
      return std::nullopt;
    }
    entries_ = entries_of(*first);
    const bool is_placed = std::any_of(access_.index.begin(), first, [&](const expr::Index& index) {
      return std::any_of(entries_.begin(), entries_.end(),
                         [&](LabelNumber label) { return expr::mentions(index, label); });
    });
    if (is_placed) {
      return std::nullopt;  // T[n, I[n]] is cut along n anyway
    }
    for (size_t mode = 0; mode < access_.index.size(); ++mode) {
      result_.index.push_back(keeps(access_.index[mode]) ? access_.index[mode] : whole(mode));
    }
    return std::move(result_);
  }

 private:
  static bool may_gather(const expr::Index& index) {
    return std::holds_alternative<expr::GatheredIndex>(index) &&
           std::holds_alternative<expr::Inside>(expr::boundary_of(index));
  }

  std::vector<LabelNumber> entries_of(const expr::Index& index) const {
    const int32_t positions = std::get<expr::GatheredIndex>(index).node;
    const expr::Node& node = body_.nodes[static_cast<size_t>(positions)];
    if (!is_table(node)) {
      return labels_of_entries(body_, positions, access_);
    }
    std::vector<LabelNumber> labels;
    expr::for_each_label(node, [&](LabelNumber label) { labels.push_back(label); });
    return labels;
  }

  bool keeps(const expr::Index& index) {
    if (const std::optional<LabelNumber> label = expr::plain_label(index)) {
      const bool is_entry = std::count(entries_.begin(), entries_.end(), *label) > 0;
      const bool is_new = plain_.insert(*label).second;
      is_behind_label_ = is_behind_label_ || has_gathered_;
      return !is_entry && is_new;
    }
    if (may_gather(index) && !is_behind_label_ && entries_of(index) == entries_) {
      has_gathered_ = true;
      return true;
    }
    const bool is_fixed = expr::is_plain_or_fixed(index);
    is_behind_label_ = is_behind_label_ || (!is_fixed && has_gathered_);
    return is_fixed;
  }

  expr::Index whole(size_t mode) {
    const auto label = static_cast<LabelNumber>(labels_.size() + result_.modes.size());
    result_.modes.push_back({{fresh_label(mode), source_.type.shape[mode]}, access_.index[mode]});
    return expr::plain(label);
  }

  std::string fresh_label(size_t mode) const {
    std::string name = fmt::format("{}_of_{}", source_.labels[mode], mode + 1);
    while (std::any_of(labels_.begin(), labels_.end(),
                       [&](const expr::LabelDecl& label) { return label.name == name; })) {
      name += "_";
    }
    return name;
  }

  const expr::Scalar& body_;
  const expr::Access& access_;
  const Vertex& source_;
  const std::vector<expr::LabelDecl>& labels_;  // of the reader
  std::vector<LabelNumber> entries_;            // labels of the first gathered mode's tables
  std::set<LabelNumber> plain_;
  bool has_gathered_ = false;
  bool is_behind_label_ = false;
  WholeModes result_;
};

/// Rewrites the gather at a node as an expression over tables. Computed tables are operands from
/// `table_operand` on.
FoundGather over_tables(const expr::Scalar& body, int32_t node, int32_t table_operand,
                        const WholeModes& whole) {
  FoundGather found{node, {}, {}, whole.modes, {}};
  const expr::Node& copied = body.nodes[static_cast<size_t>(node)];
  const auto& read = std::get<expr::Access>(copied.op);
  expr::Access access = read;
  access.index = whole.index;
  expr::ScalarBuilder builder;
  std::map<int32_t, int32_t> table_at;  // by the node of the body that has the positions
  for (expr::Index& index : access.index) {
    auto* const gathered = std::get_if<expr::GatheredIndex>(&index);
    if (gathered == nullptr) {
      continue;
    }
    const int32_t positions = gathered->node;
    const expr::Node& named = body.nodes[static_cast<size_t>(positions)];
    const auto known = table_at.find(positions);
    if (known != table_at.end()) {
      gathered->node = known->second;
    } else if (is_table(named)) {
      gathered->node = builder.access(std::get<expr::Access>(named.op), named.dtype);
    } else {
      const std::vector<LabelNumber> labels = labels_of_entries(body, positions, read);
      std::vector<expr::Index> entry;
      std::transform(labels.begin(), labels.end(), std::back_inserter(entry), expr::plain);
      const auto operand = table_operand + static_cast<int32_t>(found.computed.size());
      gathered->node = builder.access({operand, std::move(entry)}, named.dtype);
      found.computed.push_back({part_of(body, positions), labels});
    }
    table_at[positions] = gathered->node;
  }
  found.expression = builder.finish(builder.access(std::move(access), copied.dtype));
  return found;
}

/// Returns the gather at a node, if it can be read from a source, with computed tables as operands
/// from `table_operand` on. A refusal goes on after "T".
OrRefusal<FoundGather> found_at(const expr::Scalar& body, int32_t node, int32_t table_operand,
                                const WholeModes& whole) {
  FoundGather found = over_tables(body, node, table_operand, whole);
  if (!is_at_tables(found.expression)) {
    return Refusal{"is not read at tables of the same labels and at labels"};
  }
  const std::optional<expr::TableGather> gather = expr::table_gather_of(found.expression);
  if (!gather) {
    return Refusal{"is read at a label twice or between two that are gathered, or has a boundary"};
  }
  found.labels = gather->labels;
  return found;
}

/// Seconds of gathering from an array, and of reading all of it.
struct Seconds {
  double gathered = 0;
  double all = 0;
};

Seconds seconds_of(const FoundGather& found, const std::vector<expr::LabelDecl>& labels,
                   const ArrayType& type, const FileCosts& costs) {
  const expr::TableGather gather = *expr::table_gather_of(found.expression);
  const FileArray array{type.shape, size_of(type.dtype)};
  std::vector<int64_t> lengths;
  std::transform(labels.begin(), labels.end(), std::back_inserter(lengths),
                 [](const expr::LabelDecl& label) { return label.extent; });
  return {gather_estimate(array, gather.modes.back().mode, expr::extent_in_copied(gather, lengths),
                          costs)
              .seconds,
          file_estimate(array, type.shape, FileDirection::read, costs).seconds};
}

/// Makes an expression of the reader a vertex over some of these labels.
Vertex vertex_of(const expr::Scalar& expression, const std::vector<LabelNumber>& over,
                 const Vertex& reader, const std::vector<expr::LabelDecl>& labels) {
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

/// A rewrite of a statement's gathers to vertices. `known` are the vertices of earlier ones.
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
    const bool is_all = found.front().whole.empty() &&
                        found.front().node + 1 == static_cast<int32_t>(einsum.body.nodes.size());
    if (!einsum.reduction && is_all && found.front().labels == einsum.out) {
      if (!found.front().computed.empty()) {
        reader_.operands = operands_with_tables(found.front());
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
      OrRefusal<FoundGather> found = found_for(body, static_cast<int32_t>(number), source);
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

  /// Returns the gather at a node, unchanged or of rows if that makes nothing much larger.
  OrRefusal<FoundGather> found_for(const expr::Scalar& body, int32_t node,
                                   einsum::VertexId source) const {
    const auto table_operand = static_cast<int32_t>(reader_.operands.size());
    OrRefusal<FoundGather> found = found_at(body, node, table_operand, as_read(body, node));
    const Vertex& read = around_.graph().at(source);
    if (found || !is_too_large(read)) {
      return found;
    }
    const std::optional<WholeModes> whole = ModeSeparation(body, node, read, reader_).run();
    if (!whole) {
      return found;
    }
    OrRefusal<FoundGather> rows = found_at(body, node, table_operand, *whole);
    return rows && is_small(*rows, read) ? rows : found;
  }

  /// True if an input is too large to be held.
  bool is_too_large(const Vertex& read) const {
    const std::optional<int64_t> most = around_.wishes().largest_gathered_bytes;
    return most && size_in_bytes(read.type) > *most;
  }

  bool is_small(const FoundGather& found, const Vertex& read) const {
    constexpr double kMostTimesLarger = 4;
    double elements = 1;
    for (const LabelNumber label : found.labels) {
      elements *= static_cast<double>(labels_with(found)[static_cast<size_t>(label)].extent);
    }
    double points = 1;
    for (const expr::LabelDecl& label : einsum::labels_of(reader_.op)) {
      points *= static_cast<double>(label.extent);
    }
    const auto all = static_cast<double>(num_elements(read.type.shape));
    return elements <= kMostTimesLarger * std::max(points, all);
  }

  /// Returns the labels of the reader, and behind them those of modes that are gathered whole.
  std::vector<expr::LabelDecl> labels_with(const FoundGather& found) const {
    std::vector<expr::LabelDecl> labels = einsum::labels_of(reader_.op);
    for (const FoundGather::WholeMode& mode : found.whole) {
      labels.push_back(mode.label);
    }
    return labels;
  }

  OrRefusal<Done> pays_for(const FoundGather& found, einsum::VertexId source) const {
    const Vertex& read = around_.graph().at(source);
    const auto* input = std::get_if<einsum::Input>(&read.op);
    if (input == nullptr) {
      return Refusal{"is no input"};
    }
    if (is_too_large(read)) {
      return Done{};
    }
    if (input->order != StorageOrder::row_major) {
      return Refusal{"is column-major in its file"};
    }
    const Seconds seconds =
        seconds_of(found, labels_with(found), read.type, around_.context().machine.files);
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

  /// Adds a vertex. Equal ones are added once.
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

  /// Returns the reader's operands, and behind them the computed tables of a gather.
  std::vector<einsum::VertexId> operands_with_tables(const FoundGather& found) {
    std::vector<einsum::VertexId> operands = reader_.operands;
    for (const FoundGather::Computed& table : found.computed) {
      operands.push_back(
          add(vertex_of(table.positions, table.labels, reader_, einsum::labels_of(reader_.op))));
    }
    return operands;
  }

  void add_gather(const FoundGather& found) {
    Vertex reader = reader_;
    reader.operands = operands_with_tables(found);
    Vertex gather = vertex_of(found.expression, found.labels, reader, labels_with(found));
    std::get<EinSum>(gather.op).gathers_source = true;
    gathered_.push_back(add(std::move(gather)));
  }

  /// Rewrites the statement to read the gathered vertices.
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
      for (const LabelNumber label : next->labels) {
        index.push_back(index_of(*next, label, where));
      }
      where.push_back(builder.access({operand++, std::move(index)}, body.nodes[number].dtype));
      ++next;
    }
    body = builder.finish(where.back());
    reader_.operands = take_read_operands(reader_.operands, body);
  }

  /// Returns the index at which the reader reads the gathered tensor's mode with this label.
  /// `where` maps nodes of the reader's expression to nodes of the one that is built.
  expr::Index index_of(const FoundGather& found, LabelNumber label,
                       const std::vector<int32_t>& where) const {
    const size_t num_labels = einsum::labels_of(reader_.op).size();
    const auto number = static_cast<size_t>(label);
    if (number < num_labels) {
      return expr::plain(label);
    }
    expr::Index index = found.whole[number - num_labels].index;
    expr::for_each_node(index, [&](int32_t& node) { node = where[static_cast<size_t>(node)]; });
    return index;
  }

  Vertex reader_;
  RuleContext& around_;
  std::vector<einsum::VertexId>& known_;  // gathers, and their tables
  std::string reasons_;
  std::vector<Vertex> made_;
  std::vector<einsum::VertexId> gathered_;  // by found gather
};

/// Starts a sweep, which remembers the gathers in the graph that it builds.
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

void register_rule(RuleRegistry& registry) {
  Rule rule{"gather_from_source", "read of an input what a table names, and no more", Phase::placed,
            &begin_sweep};
  rule.is_repeated = true;
  registry.add(std::move(rule));
}

}  // namespace tessera::optimizer::rule_gather_from_source
