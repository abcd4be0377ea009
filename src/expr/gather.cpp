#include "expr/gather.h"

#include <algorithm>
#include <set>

namespace tessera::expr {

namespace {

bool is_plain_or_fixed_access(const Access& access) {
  return std::all_of(access.index.begin(), access.index.end(), is_plain_or_fixed);
}

/// The labels of an access whose indices are all plain; nothing where one is not.
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

}  // namespace

std::optional<Gather> gather_of(const Scalar& expression) {
  const std::vector<Node>& nodes = expression.nodes;
  if (nodes.size() != 2) {
    return std::nullopt;
  }
  const auto* table = std::get_if<Access>(&nodes[0].op);
  const auto* copied = std::get_if<Access>(&nodes[1].op);
  if (table == nullptr || copied == nullptr || !is_plain_or_fixed_access(*table)) {
    return std::nullopt;
  }
  const auto is_gathered = [](const Index& index) {
    return std::holds_alternative<GatheredIndex>(index);
  };
  const auto mode = std::find_if(copied->index.begin(), copied->index.end(), is_gathered);
  const auto num_plain =
      std::count_if(copied->index.begin(), copied->index.end(), is_plain_or_fixed);
  if (static_cast<size_t>(num_plain) + 1 != copied->index.size()) {
    return std::nullopt;
  }
  return Gather{*table, nodes[0].dtype, *copied, nodes[1].dtype,
                static_cast<size_t>(mode - copied->index.begin())};
}

std::optional<Gather> gather_in_order(const Scalar& expression,
                                      const std::vector<LabelNumber>& result) {
  std::optional<Gather> gather = gather_of(expression);
  const auto of_table = gather ? plain_labels(gather->table) : std::nullopt;
  if (!of_table ||
      !std::holds_alternative<Inside>(boundary_of(gather->copied.index[gather->mode]))) {
    return std::nullopt;
  }
  std::vector<LabelNumber> labels;
  for (size_t mode = 0; mode < gather->copied.index.size(); ++mode) {
    if (mode == gather->mode) {
      labels.insert(labels.end(), of_table->begin(), of_table->end());
    } else if (const auto label = plain_label(gather->copied.index[mode])) {
      labels.push_back(*label);
    } else {
      return std::nullopt;
    }
  }
  const bool are_distinct = std::set(labels.begin(), labels.end()).size() == labels.size();
  return labels == result && are_distinct ? gather : std::nullopt;
}

std::optional<Gather> gather_in_order(const TileProgram& program) {
  if (program.num_inputs != 2 || program.statements.size() != 1) {
    return std::nullopt;
  }
  const TileStatement& copy = program.statements.front();
  std::optional<Gather> gather = is_map(copy) && copy.bodies.size() == 1
                                     ? gather_in_order(copy.bodies.front(), copy.out)
                                     : std::nullopt;
  return gather && gather->table.operand == 0 && gather->copied.operand == 1 ? gather
                                                                             : std::nullopt;
}

}  // namespace tessera::expr
