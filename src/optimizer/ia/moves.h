#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/ia/graph.h"

namespace tessera::optimizer {

/// Returns the input of a broadcast or a shuffle; nothing for an operator that computes.
std::optional<ia::NodeId> moved_by(const ia::Node& node);

/// Returns the node below all moves.
ia::NodeId unmoved(const ia::Graph& graph, ia::NodeId node);

/// Makes a broadcast, or a shuffle to `at`, of a relation of this type.
ia::Node move_of(ia::NodeId node, tra::RelationType type, ia::Placement at, Origin origin);

/// Makes a move of a node of a graph.
ia::Node moved_to(const ia::Graph& graph, ia::NodeId node, const ia::Placement& at,
                  const Origin& origin);

/// Places the tuples of a node on sites in turn, counted over some of its dimensions; nothing if
/// these have fewer pieces than there are sites and the relation has more tuples.
std::optional<ia::ByMap> spread(const ia::Graph& graph, const std::vector<tra::KeyDim>& key,
                                const std::vector<std::string>& dims);

/// Returns the maps that spread tuples along one dimension: sites in turn, and, if it has more
/// pieces than there are sites, runs of pieces that share one. None if it has fewer pieces and the
/// relation has more tuples.
std::vector<ia::ByMap> ways_along(const ia::Graph& graph, const std::vector<tra::KeyDim>& key,
                                  const std::string& label);

}  // namespace tessera::optimizer
