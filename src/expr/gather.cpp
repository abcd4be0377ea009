#include "expr/gather.h"

#include <algorithm>

namespace tessera::expr {

namespace {

bool is_plain_or_fixed_access(const Access& access) {
  return std::all_of(access.index.begin(), access.index.end(), is_plain_or_fixed);
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

}  // namespace tessera::expr
