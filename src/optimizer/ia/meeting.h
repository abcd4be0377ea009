#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "optimizer/ia/rule.h"

namespace tessera::optimizer {

/// The inputs of a join before they are moved, and the ways to bring together what meets.
class Meeting {
 public:
  /// All outlive this.
  Meeting(const ia::Node& node, const tra::Join& join, const ia::Graph& graph);

  size_t num_inputs() const { return sources_.size(); }
  bool is_everywhere() const;
  bool lies_everywhere(size_t input) const { return lies_everywhere(sources_[input]); }

  /// Whether an input has all of these labels of the join.
  bool has(size_t input, const ia::ByMap& by_label) const;

  /// One stays where it lies, the others are broadcast.
  PlacementRewritten around_input(size_t stays) const;

  /// Those that have the labels of a map are shuffled by it, the others are broadcast; nothing
  /// where no input has them.
  std::optional<PlacementRewritten> by(const ia::ByMap& by_label) const;

  /// The others are shuffled to where the tuples of one input lie that they meet.
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
