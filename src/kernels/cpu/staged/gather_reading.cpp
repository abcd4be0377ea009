#include "kernels/cpu/staged/gather_reading.h"

#include <algorithm>

#include "expr/scalar_part.h"

namespace tessera::kernels {

namespace {

bool is_table(const expr::Node& node) {
  const auto* access = std::get_if<expr::Access>(&node.op);
  return access != nullptr &&
         std::all_of(access->index.begin(), access->index.end(), expr::is_plain_or_fixed);
}

}  // namespace

OrRefusal<Gathered> gathered_by(const expr::Scalar& body) {
  const auto* access = std::get_if<expr::Access>(&body.nodes.back().op);
  if (access == nullptr || !std::all_of(body.nodes.begin(), body.nodes.end() - 1, is_table)) {
    return Refusal{"it computes something"};
  }
  Gathered gathered{{}, access->index, {}, {}};
  for (size_t mode = 0; mode < access->index.size(); ++mode) {
    const expr::Index& index = access->index[mode];
    const size_t num_known = gathered.modes.size();
    expr::for_each_node(index, [&](int32_t node) {
      const auto& table = std::get<expr::Access>(body.nodes[static_cast<size_t>(node)].op);
      gathered.modes.push_back({mode, table, expr::part_of(body, node), expr::boundary_of(index)});
    });
    if (gathered.modes.size() == num_known && !expr::is_plain_or_fixed(index)) {
      return Refusal{"it reads at sums of labels"};
    }
  }
  if (gathered.modes.empty() || gathered.modes.size() > kMostGatheredModes) {
    return Refusal{gathered.modes.empty() ? "it reads at no table"
                                          : "it gathers in too many modes"};
  }
  return gathered;
}

}  // namespace tessera::kernels
