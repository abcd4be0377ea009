#include "optimizer/ia/moves.h"

#include <algorithm>
#include <utility>

#include "ir/ia/placement.h"

namespace tessera::optimizer {

std::optional<ia::NodeId> moved_by(const ia::Node& node) {
  struct Reader {
    std::optional<ia::NodeId> operator()(const ia::LocalOp&) const { return std::nullopt; }
    std::optional<ia::NodeId> operator()(const ia::Bcast& bcast) const { return bcast.input; }
    std::optional<ia::NodeId> operator()(const ia::Shuf& shuf) const { return shuf.input; }
  };
  return std::visit(Reader{}, node.op);
}

ia::NodeId unmoved(const ia::Graph& graph, ia::NodeId node) {
  while (const std::optional<ia::NodeId> input = moved_by(graph.at(node))) {
    node = *input;
  }
  return node;
}

ia::Node move_of(ia::NodeId node, tra::RelationType type, ia::Placement at, Origin origin) {
  ia::Node move{ia::Bcast{node}, std::move(type), std::move(at), std::move(origin)};
  if (!ia::is_everywhere(move.placement)) {
    move.op = ia::Shuf{node, move.placement};
  }
  return move;
}

ia::Node moved_to(const ia::Graph& graph, ia::NodeId node, const ia::Placement& at,
                  const Origin& origin) {
  return move_of(node, graph.at(node).type, at, origin);
}

std::optional<ia::ByMap> spread(const ia::Graph& graph, const std::vector<tra::KeyDim>& key,
                                const std::vector<std::string>& dims) {
  int64_t pieces = 1;
  for (const std::string& label : dims) {
    const auto place = static_cast<size_t>(tra::find_key_dim(key, label));
    pieces = std::min(pieces * tra::num_keys(key[place]), graph.num_sites);
  }
  if (pieces < std::min(tra::num_keys(key), graph.num_sites)) {
    return std::nullopt;
  }
  return ia::in_turn(dims, key, graph.num_sites);
}

std::vector<ia::ByMap> ways_along(const ia::Graph& graph, const std::vector<tra::KeyDim>& key,
                                  const std::string& label) {
  const int64_t pieces = tra::num_keys(key[static_cast<size_t>(tra::find_key_dim(key, label))]);
  const std::optional<ia::ByMap> in_turn = pieces > 1 ? spread(graph, key, {label}) : std::nullopt;
  if (!in_turn) {
    return {};
  }
  std::vector<ia::ByMap> ways = {*in_turn};
  if (pieces > graph.num_sites) {
    const int64_t run = (pieces + graph.num_sites - 1) / graph.num_sites;
    ways.push_back(ia::simplified({{{label, 1, run}}}, key, graph.num_sites));
  }
  return ways;
}

}  // namespace tessera::optimizer
