#pragma once

#include <cstdint>

#include "ir/tra/graph.h"
#include "kernels/context.h"
#include "optimizer/tra/call_costs.h"
#include "placement/two_phase/statement.h"

namespace tessera::placement::two_phase {

/// Returns the seconds of a cost of a Problem that GroupCosts made.
double seconds_of(int64_t cost);

/// The costs of groups on sites that are machines of the context with `workers` computing threads
/// (Two-phase §5.2): t_F and t_g from the network's rate, t_pi from the cost model of the kernel
/// that would be chosen, t_sigma from memory's. In picoseconds, for tuples of the mean size.
class GroupCosts {
 public:
  GroupCosts(const kernels::Context& context, int64_t workers)
      : context_(context), workers_(static_cast<double>(workers)), calls_(context) {}

  /// Returns the cost of sending a tuple of a relation; the latency is left out, like in the paper.
  int64_t send(const tra::RelationType& type) const;
  /// Returns the costs of join groups that each call a kernel for a key of `key` and make a tuple
  /// of a type.
  StepCosts of_calls(const Shared<expr::TileProgram>& kernel, const std::vector<tra::KeyDim>& key,
                     const tra::RelationType& type);
  /// Returns the cost of merging, or pasting, a tuple of this type into another.
  int64_t merge(const tra::RelationType& type) const;

 private:
  const kernels::Context& context_;
  double workers_;
  optimizer::CallCosts calls_;
};

}  // namespace tessera::placement::two_phase
