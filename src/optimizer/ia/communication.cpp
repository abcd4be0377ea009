#include "optimizer/ia/communication.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "ir/ia/placement_of.h"
#include "optimizer/ia/moves.h"

namespace tessera::optimizer {

namespace {

/// Sites are looked up key by key for no more.
constexpr int64_t kMostCounted = int64_t{1} << 16;

/// Of all columns of one tuple, were all alike.
double tuple_bytes(const tra::RelationType& type) {
  double bytes = 0;
  for (const tra::Column& column : type.columns) {
    auto array = static_cast<double>(size_of(column.dtype));
    for (const tra::Mode& mode : column.modes) {
      const int dim = tra::find_key_dim(type.key, mode.label);
      const auto pieces =
          dim < 0 ? 1.0 : static_cast<double>(tra::num_keys(type.key[static_cast<size_t>(dim)]));
      array *= static_cast<double>(mode.extent) / std::max(pieces, 1.0);
    }
    bytes += array;
  }
  return bytes;
}

bool is_countable(const ia::Placement& placement, const std::vector<tra::KeyDim>& key) {
  return !ia::is_undecided(placement) && tra::num_keys(key) <= kMostCounted;
}

std::string key_text(const std::vector<tra::KeyDim>& key) {
  std::string text;
  for (const tra::KeyDim& dim : key) {
    text += fmt::format("{}:{},", tra::label_of(dim), tra::num_keys(dim));
  }
  return text;
}

double num_moved(const ia::Placement& from, const ia::Placement& to,
                 const std::vector<tra::KeyDim>& key, int64_t num_sites) {
  const auto tuples = static_cast<double>(tra::num_keys(key));
  const auto sites = static_cast<double>(num_sites);
  if (ia::is_everywhere(from)) {
    return 0;
  }
  if (ia::is_everywhere(to)) {
    return tuples * (sites - 1);
  }
  if (!is_countable(from, key) || !is_countable(to, key)) {
    return tuples * (sites - 1) / sites;
  }
  const std::vector<int32_t> before = ia::sites_of(from, key, num_sites);
  const std::vector<int32_t> after = ia::sites_of(to, key, num_sites);
  double moved = 0;
  for (size_t tuple = 0; tuple < before.size(); ++tuple) {
    moved += before[tuple] == after[tuple] ? 0 : 1;
  }
  return moved;
}

double num_excess(const ia::Placement& at, const std::vector<tra::KeyDim>& key, int64_t num_sites) {
  const auto calls = static_cast<double>(tra::num_keys(key));
  const double share = std::ceil(calls / static_cast<double>(num_sites));
  if (ia::is_everywhere(at)) {
    return calls - share;
  }
  if (!is_countable(at, key)) {
    return 0;
  }
  std::vector<double> by_site(static_cast<size_t>(num_sites), 0);
  for (const int32_t site : ia::sites_of(at, key, num_sites)) {
    if (site != ia::kNowhere) {
      ++by_site[static_cast<size_t>(site)];
    }
  }
  return std::max(0.0, *std::max_element(by_site.begin(), by_site.end()) - share);
}

/// What one call of an operator reads and makes.
double call_bytes(const ia::Graph& graph, const ia::Node& node) {
  double bytes = tuple_bytes(node.type);
  for (const ia::NodeId input : ia::inputs_of(node.op)) {
    bytes += tuple_bytes(graph.at(input).type);
  }
  return bytes;
}

/// The node whose keys count an operator's calls: a join has one for every tuple that it makes,
/// others have one for every tuple that they read. Null for what has none.
const ia::Node* counted_by(const ia::Graph& graph, const ia::Node& node) {
  const tra::Op* op = ia::local_op(node);
  if (op == nullptr || std::holds_alternative<tra::Input>(*op)) {
    return nullptr;
  }
  return std::holds_alternative<tra::Join>(*op) ? &node : &graph.at(tra::inputs_of(*op)[0]);
}

}  // namespace

CommunicationVolume Communication::of(const ia::Graph& graph) {
  CommunicationVolume volume;
  for (const ia::Node& node : graph.nodes) {
    if (const std::optional<ia::NodeId> input = moved_by(node)) {
      volume.moved_bytes +=
          moved_tuples(graph.at(*input).placement, node.placement, node.type.key, graph.num_sites) *
          tuple_bytes(node.type);
    } else if (const ia::Node* calls = counted_by(graph, node)) {
      volume.excess_bytes += excess_calls(calls->placement, calls->type.key, graph.num_sites) *
                             call_bytes(graph, node);
    }
  }
  return volume;
}

double Communication::moved_tuples(const ia::Placement& from, const ia::Placement& to,
                                   const std::vector<tra::KeyDim>& key, int64_t num_sites) {
  const auto [known, is_new] = counted_.emplace(
      fmt::format("{}>{} {}", ia::to_string(from), ia::to_string(to), key_text(key)), 0);
  if (is_new) {
    known->second = num_moved(from, to, key, num_sites);
  }
  return known->second;
}

double Communication::excess_calls(const ia::Placement& at, const std::vector<tra::KeyDim>& key,
                                   int64_t num_sites) {
  const auto [known, is_new] =
      counted_.emplace(fmt::format("{} {}", ia::to_string(at), key_text(key)), 0);
  if (is_new) {
    known->second = num_excess(at, key, num_sites);
  }
  return known->second;
}

}  // namespace tessera::optimizer
