#include "optimizer/ia/communication.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ir/tra/keys.h"
#include "optimizer/ia/moves.h"

namespace tessera::optimizer {

namespace {

/// The most keys whose sites are looked up one by one.
constexpr int64_t kMostCounted = int64_t{1} << 16;

bool is_countable(const ia::Placement& placement, const std::vector<tra::KeyDim>& key) {
  return !ia::is_undecided(placement) && tra::num_keys(key) <= kMostCounted;
}

/// True if two relations have the same tuples for counting.
bool count_alike(const tra::RelationType& a, const tra::RelationType& b) {
  return std::equal(a.key.begin(), a.key.end(), b.key.begin(), b.key.end(),
                    [](const tra::KeyDim& one, const tra::KeyDim& other) {
                      return tra::num_keys(one) == tra::num_keys(other) &&
                             tra::label_of(one) == tra::label_of(other);
                    }) &&
         a.present == b.present;
}

size_t hash_of(const ia::Placement& from, const ia::Placement* to, const tra::RelationType& type) {
  size_t hash = 31 * ia::hash_of(from) + (to == nullptr ? 0 : ia::hash_of(*to));
  for (const tra::KeyDim& dim : type.key) {
    hash = 31 * hash + static_cast<size_t>(tra::num_keys(dim));
  }
  return hash;
}

/// Returns the sites of every tuple that is or may be present; none for the other keys.
ia::SiteSets sites_of_tuples(const ia::Placement& placement, const tra::RelationType& type,
                             int64_t num_sites) {
  ia::SiteSets sites = ia::site_sets_of(placement, type.key, num_sites);
  if (tra::has_all(type.present)) {
    return sites;
  }
  ia::SiteSets of_tuples;
  size_t number = 0;
  for (const tra::Key& key : tra::all_keys(type.key)) {
    const std::span<const int32_t> there = sites.of(number++);
    of_tuples.add(tra::has_key(type.present, key) == false ? std::span<const int32_t>() : there);
  }
  return of_tuples;
}

/// Counts the sites that are not among those where a tuple is.
int64_t num_new(std::span<const int32_t> sites, std::span<const int32_t> before) {
  return std::count_if(sites.begin(), sites.end(), [&](int32_t site) {
    return !std::binary_search(before.begin(), before.end(), site);
  });
}

/// Counts tuples with all their copies.
double num_copies(const ia::Placement& placement, const tra::RelationType& type,
                  int64_t num_sites) {
  if (const auto* copies = std::get_if<ia::ByCopies>(&placement)) {
    return static_cast<double>(copies->sites->num_copies());
  }
  const int64_t of_each = ia::is_everywhere(placement) ? num_sites : 1;
  return static_cast<double>(tra::num_tuples(type) * of_each);
}

double num_moved(const ia::Placement& from, const ia::Placement& to, const tra::RelationType& type,
                 int64_t num_sites) {
  const std::vector<tra::KeyDim>& key = type.key;
  if (ia::is_everywhere(from)) {
    return 0;
  }
  const double wanted = num_copies(to, type, num_sites);
  if (ia::is_everywhere(to)) {
    return wanted - num_copies(from, type, num_sites);
  }
  if (!is_countable(from, key) || !is_countable(to, key)) {
    const auto sites = static_cast<double>(num_sites);
    return wanted * (sites - 1) / sites;
  }
  const ia::SiteSets before = sites_of_tuples(from, type, num_sites);
  const ia::SiteSets after = sites_of_tuples(to, type, num_sites);
  int64_t moved = 0;
  for (size_t tuple = 0; tuple < before.num_keys(); ++tuple) {
    moved += num_new(after.of(tuple), before.of(tuple));
  }
  return static_cast<double>(moved);
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
  const ia::SiteSets sites = sites_of_tuples(at, type, num_sites);
  for (size_t tuple = 0; tuple < sites.num_keys(); ++tuple) {
    for (const int32_t site : sites.of(tuple)) {
      ++by_site[static_cast<size_t>(site)];
    }
  }
  return std::max(0.0, *std::max_element(by_site.begin(), by_site.end()) - share);
}

/// Returns the bytes that one call of an operator reads and makes.
double call_bytes(const ia::Graph& graph, const ia::Node& node) {
  double bytes = tra::tuple_bytes(node.type);
  for (const ia::NodeId input : ia::inputs_of(node.op)) {
    bytes += tra::tuple_bytes(graph.at(input).type);
  }
  return bytes;
}

/// Returns the node whose keys count an operator's calls: a join has one for every tuple that it
/// makes, others have one for every tuple that they read. Null for a node without calls.
const ia::Node* counted_by(const ia::Graph& graph, const ia::Node& node) {
  const tra::Op* op = ia::local_op(node);
  if (op == nullptr || std::holds_alternative<tra::Input>(*op)) {
    return nullptr;
  }
  return std::holds_alternative<tra::Join>(*op) ? &node : &graph.at(tra::inputs_of(*op)[0]);
}

/// Counts the states that a walking scan passes between sites: one to every site that has a tile
/// but not the tile before it.
double num_passed(const ia::Node& node, int64_t num_sites) {
  const tra::Op* op = ia::local_op(node);
  const auto* scan = op == nullptr ? nullptr : std::get_if<tra::Scan>(op);
  const std::vector<tra::KeyDim>& key = node.type.key;
  if (scan == nullptr || !scan->walks() || ia::is_everywhere(node.placement) ||
      !is_countable(node.placement, key)) {
    return 0;
  }
  const ia::SiteSets sites = ia::site_sets_of(node.placement, key, num_sites);
  const auto along = static_cast<size_t>(tra::find_key_dim(key, scan->along));
  const bool is_forward = scan->direction == expr::Scan::Direction::forward;
  const int64_t first = is_forward ? 0 : tra::num_keys(key[along]) - 1;
  int64_t passed = 0;
  for (const tra::Key& tile : tra::all_keys(key)) {
    if (tile[along] != first) {
      tra::Key before = tile;
      before[along] += is_forward ? -1 : 1;
      passed += num_new(sites.of(tra::number_of(tile, key)), sites.of(tra::number_of(before, key)));
    }
  }
  return static_cast<double>(passed);
}

}  // namespace

CommunicationVolume Communication::of(const ia::Graph& graph) {
  CommunicationVolume volume;
  for (const ia::Node& node : graph.nodes) {
    if (const std::optional<ia::NodeId> input = moved_by(node)) {
      volume.moved_bytes +=
          moved_bytes(graph.at(*input).placement, node.placement, node.type, graph.num_sites);
    } else {
      volume.moved_bytes += num_passed(node, graph.num_sites) * tra::tuple_bytes(node.type);
      volume.excess_bytes += excess_bytes(graph, node);
    }
  }
  return volume;
}

double Communication::moved_bytes(const ia::Placement& from, const ia::Placement& to,
                                  const tra::RelationType& type, int64_t num_sites) {
  return moved_tuples(from, to, type, num_sites) * tra::tuple_bytes(type);
}

double Communication::excess_bytes(const ia::Graph& graph, const ia::Node& node) {
  const ia::Node* calls = counted_by(graph, node);
  return calls == nullptr ? 0
                          : excess_calls(calls->placement, calls->type, graph.num_sites) *
                                call_bytes(graph, node);
}

double Communication::moved_tuples(const ia::Placement& from, const ia::Placement& to,
                                   const tra::RelationType& type, int64_t num_sites) {
  const size_t hash = hash_of(from, &to, type);
  if (const double* known = find(hash, from, &to, type)) {
    return *known;
  }
  const double moved = num_moved(from, to, type, num_sites);
  counted_.emplace(hash, Counted{from, to, type, moved});
  return moved;
}

double Communication::excess_calls(const ia::Placement& at, const tra::RelationType& type,
                                   int64_t num_sites) {
  const size_t hash = hash_of(at, nullptr, type);
  if (const double* known = find(hash, at, nullptr, type)) {
    return *known;
  }
  const double excess = num_excess(at, type, num_sites);
  counted_.emplace(hash, Counted{at, std::nullopt, type, excess});
  return excess;
}

double* Communication::find(size_t hash, const ia::Placement& from, const ia::Placement* to,
                            const tra::RelationType& type) {
  const auto [begin, end] = counted_.equal_range(hash);
  const auto known = std::find_if(begin, end, [&](const auto& each) {
    const Counted& counted = each.second;
    const bool is_same_move = to == nullptr ? !counted.to : counted.to && *counted.to == *to;
    return is_same_move && counted.from == from && count_alike(counted.type, type);
  });
  return known == end ? nullptr : &known->second.number;
}

}  // namespace tessera::optimizer
