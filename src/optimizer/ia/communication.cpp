#include "optimizer/ia/communication.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "ir/ia/placement_of.h"
#include "ir/tra/keys.h"
#include "optimizer/ia/moves.h"

namespace tessera::optimizer {

namespace {

/// Sites are looked up key by key for no more.
constexpr int64_t kMostCounted = int64_t{1} << 16;

bool is_countable(const ia::Placement& placement, const std::vector<tra::KeyDim>& key) {
  return !ia::is_undecided(placement) && tra::num_keys(key) <= kMostCounted;
}

/// What tells apart relations whose tuples are counted.
std::string tuples_text(const tra::RelationType& type) {
  std::string text;
  for (const tra::KeyDim& dim : type.key) {
    text += fmt::format("{}:{},", tra::label_of(dim), tra::num_keys(dim));
  }
  return tra::has_all(type.present) ? text : text + tra::to_string(type.present);
}

/// The site of every tuple that there is, or may be; kNowhere for the other keys.
std::vector<int32_t> sites_of_tuples(const ia::Placement& placement, const tra::RelationType& type,
                                     int64_t num_sites) {
  std::vector<int32_t> sites = ia::sites_of(placement, type.key, num_sites);
  if (!tra::has_all(type.present)) {
    const std::vector<tra::Key> keys = tra::all_keys(type.key);
    for (size_t number = 0; number < keys.size(); ++number) {
      if (tra::has_key(type.present, keys[number]) == false) {
        sites[number] = ia::kNowhere;
      }
    }
  }
  return sites;
}

double num_moved(const ia::Placement& from, const ia::Placement& to, const tra::RelationType& type,
                 int64_t num_sites) {
  const std::vector<tra::KeyDim>& key = type.key;
  const auto tuples = static_cast<double>(tra::num_tuples(type));
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
  const std::vector<int32_t> before = sites_of_tuples(from, type, num_sites);
  const std::vector<int32_t> after = sites_of_tuples(to, type, num_sites);
  double moved = 0;
  for (size_t tuple = 0; tuple < before.size(); ++tuple) {
    moved += before[tuple] == after[tuple] ? 0 : 1;
  }
  return moved;
}

double num_excess(const ia::Placement& at, const tra::RelationType& type, int64_t num_sites) {
  const auto calls = static_cast<double>(tra::num_tuples(type));
  const double share = std::ceil(calls / static_cast<double>(num_sites));
  if (ia::is_everywhere(at)) {
    return calls - share;
  }
  if (!is_countable(at, type.key)) {
    return 0;
  }
  std::vector<double> by_site(static_cast<size_t>(num_sites), 0);
  for (const int32_t site : sites_of_tuples(at, type, num_sites)) {
    if (site != ia::kNowhere) {
      ++by_site[static_cast<size_t>(site)];
    }
  }
  return std::max(0.0, *std::max_element(by_site.begin(), by_site.end()) - share);
}

/// What one call of an operator reads and makes.
double call_bytes(const ia::Graph& graph, const ia::Node& node) {
  double bytes = tra::tuple_bytes(node.type);
  for (const ia::NodeId input : ia::inputs_of(node.op)) {
    bytes += tra::tuple_bytes(graph.at(input).type);
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
          moved_tuples(graph.at(*input).placement, node.placement, node.type, graph.num_sites) *
          tra::tuple_bytes(node.type);
    } else if (const ia::Node* calls = counted_by(graph, node)) {
      volume.excess_bytes +=
          excess_calls(calls->placement, calls->type, graph.num_sites) * call_bytes(graph, node);
    }
  }
  return volume;
}

double Communication::moved_tuples(const ia::Placement& from, const ia::Placement& to,
                                   const tra::RelationType& type, int64_t num_sites) {
  const auto [known, is_new] = counted_.emplace(
      fmt::format("{}>{} {}", ia::to_string(from), ia::to_string(to), tuples_text(type)), 0);
  if (is_new) {
    known->second = num_moved(from, to, type, num_sites);
  }
  return known->second;
}

double Communication::excess_calls(const ia::Placement& at, const tra::RelationType& type,
                                   int64_t num_sites) {
  const auto [known, is_new] =
      counted_.emplace(fmt::format("{} {}", ia::to_string(at), tuples_text(type)), 0);
  if (is_new) {
    known->second = num_excess(at, type, num_sites);
  }
  return known->second;
}

}  // namespace tessera::optimizer
