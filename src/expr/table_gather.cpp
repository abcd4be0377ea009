#include "expr/table_gather.h"

#include <algorithm>
#include <set>

namespace tessera::expr {

namespace {

/// Returns the labels of an access whose indices are all plain; nothing if one is not.
std::optional<std::vector<LabelNumber>> plain_labels(const Access& access) {
  std::vector<LabelNumber> labels;
  for (const Index& index : access.index) {
    const std::optional<LabelNumber> label = plain_label(index);
    if (!label) {
      return std::nullopt;
    }
    labels.push_back(*label);
  }
  return labels;
}

/// A reader of an expression whose last node copies, and whose others are tables.
class TableGatherReader {
 public:
  std::optional<TableGather> run(const Scalar& expression) && {
    if (!read_tables(expression)) {
      return std::nullopt;
    }
    gather_.copied = std::get<Access>(expression.nodes.back().op);
    for (size_t mode = 0; mode < gather_.copied.index.size(); ++mode) {
      if (!read_mode(mode)) {
        return std::nullopt;
      }
    }
    const std::set<LabelNumber> distinct(gather_.labels.begin(), gather_.labels.end());
    const bool is_table =
        std::any_of(gather_.tables.begin(), gather_.tables.end(),
                    [&](const Access& table) { return table.operand == gather_.copied.operand; });
    const bool is_gather =
        !gather_.modes.empty() && !is_table && distinct.size() == gather_.labels.size();
    return is_gather ? std::optional(std::move(gather_)) : std::nullopt;
  }

 private:
  bool read_tables(const Scalar& expression) {
    for (size_t node = 0; node < expression.nodes.size(); ++node) {
      const auto* access = std::get_if<Access>(&expression.nodes[node].op);
      const bool is_last = node + 1 == expression.nodes.size();
      if (access == nullptr || is_last) {
        return access != nullptr && is_last;
      }
      const auto labels = plain_labels(*access);
      if (!labels || (node > 0 && *labels != entries_)) {
        return false;
      }
      entries_ = *labels;
      gather_.tables.push_back(*access);
    }
    return false;
  }

  bool read_mode(size_t mode) {
    const Index& index = gather_.copied.index[mode];
    if (const std::optional<LabelNumber> label = plain_label(index)) {
      is_behind_label_ = !gather_.modes.empty();
      gather_.labels.push_back(*label);
      return true;
    }
    const auto* gathered = std::get_if<GatheredIndex>(&index);
    if (gathered == nullptr) {
      return is_plain_or_fixed(index);
    }
    if (is_behind_label_ || !std::holds_alternative<Inside>(boundary_of(index))) {
      return false;
    }
    if (gather_.modes.empty()) {
      gather_.labels.insert(gather_.labels.end(), entries_.begin(), entries_.end());
    }
    gather_.modes.push_back({mode, static_cast<size_t>(gathered->node)});
    return true;
  }

  TableGather gather_;
  std::vector<LabelNumber> entries_;  // labels of every table
  bool is_behind_label_ = false;      // of x, behind its first gathered mode
};

}  // namespace

size_t TableGather::num_before() const {
  size_t labels_before = 0;
  for (size_t mode = 0; mode < modes.front().mode; ++mode) {
    labels_before += is_plain(copied.index[mode]) ? 1 : 0;
  }
  return labels_before;
}

Shape extent_in_copied(const TableGather& gather, const std::vector<int64_t>& lengths) {
  Shape extent;
  for (const Index& index : gather.copied.index) {
    const std::optional<LabelNumber> label = plain_label(index);
    extent.push_back(label ? lengths[static_cast<size_t>(*label)] : 1);
  }
  for (const Index& index : gather.tables.front().index) {
    extent[gather.modes.front().mode] *= lengths[static_cast<size_t>(*plain_label(index))];
  }
  return extent;
}

std::optional<TableGather> table_gather_of(const Scalar& expression) {
  return TableGatherReader().run(expression);
}

std::optional<TableGather> table_gather_of(const TileProgram& program) {
  if (program.statements.size() != 1 || !is_map(program.statements.front()) ||
      program.statements.front().bodies.size() != 1) {
    return std::nullopt;
  }
  const TileStatement& copy = program.statements.front();
  std::optional<TableGather> gather = table_gather_of(copy.bodies.front());
  if (!gather || gather->labels != copy.out) {
    return std::nullopt;
  }
  int32_t operand = 0;
  const bool are_in_order =
      std::all_of(gather->tables.begin(), gather->tables.end(),
                  [&](const Access& table) { return table.operand == operand++; });
  const bool is_last = gather->copied.operand == operand && program.num_inputs == operand + 1;
  return are_in_order && is_last ? gather : std::nullopt;
}

}  // namespace tessera::expr
