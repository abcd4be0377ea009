#include "optimizer/lowering/ia_builder.h"

#include <utility>

#include "base/error.h"
#include "ir/tra/infer.h"
#include "ir/tra/keys.h"

namespace tessera::optimizer {

namespace {

std::vector<std::string> labels_of(const std::vector<tra::KeyDim>& key) {
  std::vector<std::string> labels;
  for (const tra::KeyDim& dim : key) {
    labels.push_back(tra::label_of(dim));
  }
  return labels;
}

void refuse(const OrRefusal<ia::Placement>& inferred, const Origin& origin) {
  if (!inferred) {
    throw_error(ErrorKind::unsupported, "{} on several sites: {}", to_string(origin),
                inferred.reason());
  }
}

}  // namespace

IaBuilder::IaBuilder(int64_t num_sites, bool is_reproducible, size_t num_nodes) {
  to_.num_sites = num_sites;
  to_.is_reproducible = is_reproducible;
  to_.nodes.reserve(num_nodes);
}

ia::Graph IaBuilder::take(std::vector<ia::Output> outputs) && {
  to_.outputs = std::move(outputs);
  return std::move(to_);
}

ia::NodeId IaBuilder::add(ia::Op op, tra::RelationType type, ia::Placement placement,
                          const Origin& origin) {
  to_.nodes.push_back({std::move(op), std::move(type), std::move(placement), origin});
  return NodeId(static_cast<int64_t>(to_.nodes.size()) - 1);
}

ia::NodeId IaBuilder::broadcast(NodeId node, const Origin& origin) {
  if (ia::is_everywhere(to_.at(node).placement)) {
    return node;
  }
  return add(ia::Bcast{node}, to_.at(node).type, ia::Everywhere{}, origin);
}

ia::NodeId IaBuilder::shuffled(NodeId node, const ia::Placement& placement, const Origin& origin) {
  return add(ia::Shuf{node, placement}, to_.at(node).type, placement, origin);
}

ia::Placement IaBuilder::in_turn(const KeySpace& key) const {
  return to_.num_sites == 1 ? ia::Placement(ia::Everywhere{})
                            : ia::in_turn(labels_of(key), key, to_.num_sites);
}

std::optional<ia::NodeId> IaBuilder::local(tra::Op op, const tra::RelationType& type,
                                           const Origin& origin) {
  ia::Op here = ia::LocalOp{std::move(op)};
  OrRefusal<ia::Placement> inferred = ia::placement_of(to_, here, type);
  return inferred ? std::optional(add(std::move(here), type, std::move(*inferred), origin))
                  : std::nullopt;
}

ia::NodeId IaBuilder::surely_local(tra::Op op, const tra::RelationType& type,
                                   const Origin& origin) {
  ia::Op here = ia::LocalOp{std::move(op)};
  OrRefusal<ia::Placement> inferred = ia::placement_of(to_, here, type);
  refuse(inferred, origin);
  return add(std::move(here), type, std::move(*inferred), origin);
}

ia::NodeId IaBuilder::merged(const tra::Op& op, NodeId input, const tra::RelationType& type,
                             const ia::Placement& wanted, const Origin& origin) {
  if (const auto result = local(tra::with_inputs(op, {input}), type, origin)) {
    return *result;
  }
  const OrRefusal<ia::Placement> parts =
      ia::placement_of_pieces(wanted, type.key, key_of(input), to_.num_sites);
  refuse(parts, origin);
  const NodeId moved =
      ia::is_everywhere(*parts) ? broadcast(input, origin) : shuffled(input, *parts, origin);
  return surely_local(tra::with_inputs(op, {moved}), type, origin);
}

ia::NodeId IaBuilder::translated(const tra::Filter& op, NodeId input, const tra::Node& node,
                                 const ia::Placement&) {
  return surely_local(tra::with_inputs(op, {input}), node.type, node.origin);
}

ia::NodeId IaBuilder::translated(const tra::Transform& op, NodeId input, const tra::Node& node,
                                 const ia::Placement&) {
  return surely_local(tra::with_inputs(op, {input}), node.type, node.origin);
}

ia::NodeId IaBuilder::translated(const tra::Tile& op, NodeId input, const tra::Node& node,
                                 const ia::Placement&) {
  return surely_local(tra::with_inputs(op, {input}), node.type, node.origin);
}

ia::NodeId IaBuilder::translated(const tra::Concat& op, NodeId input, const tra::Node& node,
                                 const ia::Placement& wanted) {
  return merged(op, input, node.type, wanted, node.origin);
}

/// Tuples that get one key must lie together: a filter has left out all but one of them.
ia::NodeId IaBuilder::translated(const tra::Rekey& op, NodeId input, const tra::Node& node,
                                 const ia::Placement&) {
  if (const auto result = local(tra::with_inputs(op, {input}), node.type, node.origin)) {
    return *result;
  }
  const KeySpace& key = node.type.key;
  const std::vector<int32_t> sites = ia::sites_of(in_turn(key), key, to_.num_sites);
  std::vector<int32_t> together;
  for (const int64_t number : tra::mapped_numbers(key_of(input), op.key, key)) {
    together.push_back(sites[static_cast<size_t>(number)]);
  }
  const NodeId moved = shuffled(input, ia::ByTable{std::move(together)}, node.origin);
  return surely_local(tra::with_inputs(op, {moved}), node.type, node.origin);
}

/// Cuts tuples into the boxes that both grids share, and pastes them. A step that changes nothing
/// is left out.
ia::NodeId IaBuilder::translated(const tra::Repartition& op, NodeId input, const tra::Node& node,
                                 const ia::Placement& wanted) {
  if (tra::refines(op.key, key_of(input))) {
    return surely_local(tra::Repartition{input, op.key}, node.type, node.origin);
  }
  NodeId boxes = input;
  const KeySpace fine = tra::common_refinement(key_of(boxes), op.key);
  if (fine != key_of(boxes)) {
    const tra::Repartition cut{boxes, fine};
    boxes = surely_local(cut, tra::infer_type(cut, tra::relations_of(to_)), node.origin);
  }
  return merged(tra::Repartition{boxes, op.key}, boxes, node.type, wanted, node.origin);
}

/// Brings together the tuples that form one line of the scan; lines are placed on sites in turn.
ia::NodeId IaBuilder::translated(const tra::Scan& op, NodeId input, const tra::Node& node,
                                 const ia::Placement&) {
  TESSERA_CHECK(!op.walks(), "a scan that walks is placed as a join of its tiles");
  if (const auto result = local(tra::with_inputs(op, {input}), node.type, node.origin)) {
    return *result;
  }
  const KeySpace groups = tra::key_without(key_of(input), op.along);
  const ia::Placement together = ia::in_turn(labels_of(groups), groups, to_.num_sites);
  const NodeId moved = shuffled(input, together, node.origin);
  return surely_local(tra::with_inputs(op, {moved}), node.type, node.origin);
}

double relation_bytes(const tra::RelationType& type) {
  return static_cast<double>(tra::num_tuples(type)) * tra::tuple_bytes(type);
}

}  // namespace tessera::optimizer
