#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "optimizer/ia/rule.h"

namespace tessera::optimizer {

/// The inputs of a join before they are moved, and the plans that bring matching tuples together.
class Meeting {
 public:
  /// Borrows its arguments, which outlive it.
  Meeting(const ia::Node& node, const tra::Join& join, const ia::Graph& graph);

  size_t num_inputs() const { return sources_.size(); }
  bool is_everywhere() const;
  bool lies_everywhere(size_t input) const { return lies_everywhere(sources_[input]); }

  /// True if an input has all of these labels of the join.
  bool has(size_t input, const ia::ByMap& by_label) const;

  /// Keeps one input in place and broadcasts the others.
  PlacementRewritten around_input(size_t stays) const;

  /// Shuffles the inputs that have the labels of a map by it, and broadcasts the others; nothing if
  /// no input has them.
  std::optional<PlacementRewritten> by(const ia::ByMap& by_label) const;

  /// Keeps one input in place and shuffles the others to the tuples that they meet.
  std::optional<PlacementRewritten> along(size_t stays) const;

 private:
  bool lies_everywhere(ia::NodeId source) const;
  std::optional<ia::ByMap> as_dims_of(ia::ByMap map, size_t input) const;
  PlacementRewritten joined(const std::vector<std::optional<ia::Placement>>& wanted) const;

  const ia::Node& node_;
  const tra::Join& join_;
  const ia::Graph& graph_;
  std::vector<ia::NodeId> sources_;
};

}  // namespace tessera::optimizer
