#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/ia/graph.h"

namespace tessera::optimizer {

/// What a broadcast or a shuffle moves; nothing for an operator that computes.
std::optional<ia::NodeId> moved_by(const ia::Node& node);

/// The node whose tuples these are, behind all moves.
ia::NodeId unmoved(const ia::Graph& graph, ia::NodeId node);

/// A broadcast, or a shuffle to `at`, of a relation of this type.
ia::Node move_of(ia::NodeId node, tra::RelationType type, ia::Placement at, Origin origin);

/// The same of a node of a graph.
ia::Node moved_to(const ia::Graph& graph, ia::NodeId node, const ia::Placement& at,
                  const Origin& origin);

/// Sites in turn for the tuples of a node, counted over some of its dimensions; nothing where these
/// are cut into fewer pieces than there are sites, though more tuples are there.
std::optional<ia::ByMap> spread(const ia::Graph& graph, const std::vector<tra::KeyDim>& key,
                                const std::vector<std::string>& dims);

/// The ways to spread tuples along one dimension: sites in turn, and, where it has more pieces than
/// there are sites, runs of pieces that share one; none where it has fewer and more tuples are
/// there.
std::vector<ia::ByMap> ways_along(const ia::Graph& graph, const std::vector<tra::KeyDim>& key,
                                  const std::string& label);

}  // namespace tessera::optimizer
