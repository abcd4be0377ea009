#include "optimizer/tra/fuse.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "ir/tra/infer.h"
#include "optimizer/tra/call_costs.h"
#include "optimizer/tra/fuse_group.h"

namespace tessera::optimizer {

namespace {

/// The share of the time apart that one call must stay under: a smaller gain is not worth a coarser
/// task.
constexpr double kMostOfTimeApart = 0.98;
/// Nodes that are taken in without a gain before the search returns to the last gain: a sum beside
/// the exponentials it reads gains nothing until those are taken in too.
constexpr int kMostWithoutGain = 3;
/// The most members of a group. Planning a larger program may take as long as running it.
constexpr size_t kMostMembers = 24;

const Shared<expr::TileProgram>& kernel_of(const tra::Node& node) {
  const auto* join = std::get_if<tra::Join>(&node.op);
  return join != nullptr ? join->kernel : std::get<tra::Transform>(node.op).kernel;
}

/// Returns the operator with its inputs renumbered.
tra::Op with_renumbered_inputs(tra::Op op, const std::vector<tra::NodeId>& renumbered) {
  std::vector<tra::NodeId> inputs;
  for (const tra::NodeId input : tra::inputs_of(op)) {
    inputs.push_back(renumbered[input.index()]);
  }
  return tra::with_inputs(std::move(op), inputs);
}

struct HashOfGroup {
  size_t operator()(const GroupIdentity& identity) const { return identity.hash(); }
};

class Fusion {
 public:
  Fusion(tra::Graph graph, const kernels::Context& context, Subexpressions subexpressions)
      : from_(std::move(graph)),
        subexpressions_(subexpressions),
        readers_(readers_of(from_)),
        kernels_(number_kernels(from_)),
        memory_(context.machine.host()),
        costs_(context),
        group_of_(from_.nodes.size()) {}

  rewrite::Passed<tra::Graph> run() && {
    for (size_t number = from_.nodes.size(); number-- > 0;) {
      const tra::NodeId node(static_cast<int64_t>(number));
      if (!group_of_[number] && FusionGroup::can_be_member(from_, node) && reads_candidate(node)) {
        grow(node);
      }
    }
    if (groups_.empty()) {
      result_.graph = std::move(from_);
    } else {
      result_.graph.is_reproducible = from_.is_reproducible;
      rebuild();
    }
    return std::move(result_);
  }

 private:
  double seconds_alone(tra::NodeId node) {
    const Shared<expr::TileProgram>& kernel = kernel_of(from_.at(node));
    return costs_.seconds(kernel, largest_call(kernel, from_.at(node).type.key));
  }

  /// Returns the seconds to move a tile of the node's result through memory.
  double seconds_of_tile(tra::NodeId node) const {
    const double bytes = tra::tuple_bytes(from_.at(node).type);
    return bytes < static_cast<double>(memory_.fewest_new_bytes)
               ? 0
               : bytes / memory_.new_bytes_per_second;
  }

  /// A group, and the predicted seconds of its statements as several calls and as one.
  struct PricedGroup {
    FusionGroup group;
    double apart = 0;
    double together = 0;

    double gain() const { return apart - together; }
  };

  /// Grows a group by the nodes that pay, the nearest first.
  void grow(tra::NodeId last) {
    const double alone = seconds_alone(last);
    PricedGroup best{FusionGroup(from_, readers_, kernels_, last), alone, alone};
    std::set<size_t> rejected;
    std::optional<size_t> next;
    do {
      next = extend(best, rejected);
      if (next) {
        rejected.insert(*next);
      }
    } while (next);
    keep_reasons(best.group);
    if (best.group.nodes().size() > 1) {
      for (const tra::NodeId node : best.group.nodes()) {
        group_of_[node.index()] = groups_.size();
      }
      groups_.push_back(std::move(best.group));
    }
  }

  /// Grows `best`, and leaves the best group found in it. Returns the node that led away from it
  /// without a gain, or nothing if there is none left to try.
  std::optional<size_t> extend(PricedGroup& best, const std::set<size_t>& rejected) {
    PricedGroup trial = best;
    std::set<size_t> tried = rejected;
    std::optional<size_t> first_in_vain;
    int num_without_gain = 0;
    while (num_without_gain < kMostWithoutGain && trial.group.nodes().size() < kMostMembers) {
      const std::optional<size_t> number = next_candidate(trial.group, tried);
      if (!number) {
        break;
      }
      tried.insert(*number);
      const tra::NodeId node(static_cast<int64_t>(*number));
      if (const OrRefusal<Done> added = trial.group.add(node); !added) {
        note_reason(best.group, node, added.reason());
        continue;
      }
      trial.apart += seconds_alone(node) + seconds_of_tile(node);
      trial.together = call_of(trial.group).seconds;
      if (trial.gain() > best.gain() + (1 - kMostOfTimeApart) * best.apart) {
        best = trial;
        first_in_vain.reset();
        num_without_gain = 0;
      } else {
        first_in_vain = first_in_vain.value_or(*number);
        ++num_without_gain;
      }
    }
    if (first_in_vain) {
      note_reason(best.group, tra::NodeId(static_cast<int64_t>(*first_in_vain)),
                  fmt::format("one call would take {:.2g} s, several take {:.2g} s", trial.together,
                              trial.apart));
    }
    return first_in_vain;
  }

  /// The kernel of a group, and the predicted seconds of its largest call.
  struct Call {
    Shared<expr::TileProgram> kernel;
    double seconds = 0;
  };

  /// Returns the call of a group, with each common expression computed once if that takes less: in
  /// a fused program its values stay in the cache. Equal groups are priced once.
  const Call& call_of(const FusionGroup& group) {
    if (calls_.size() == kMostKnownCalls) {
      calls_.clear();
    }
    const auto [known, is_new] = calls_.try_emplace(group.identity());
    if (is_new) {
      const tra::Join join = group.join();
      const kernels::CallShape shape = largest_call(join.kernel, join.key);
      Call& call = known->second;
      call.kernel = subexpressions_ == Subexpressions::shared ? costs_.sharing(join.kernel, shape)
                                                              : join.kernel;
      call.seconds = costs_.seconds(call.kernel, shape);
    }
    return known->second;
  }

  tra::Join join_of(const FusionGroup& group) {
    tra::Join join = group.join();
    join.kernel = call_of(group).kernel;
    return join;
  }

  /// True if a node may be taken into the group of a reader.
  bool is_candidate(tra::NodeId node) const {
    return !group_of_[node.index()] && FusionGroup::can_be_member(from_, node);
  }

  /// True if a group of this node alone could take in anything: if not, the node's time does not
  /// matter.
  bool reads_candidate(tra::NodeId node) const {
    const std::vector<tra::NodeId> inputs = tra::inputs_of(from_.at(node).op);
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](tra::NodeId input) { return is_candidate(input); });
  }

  /// Returns the last free node, in the graph's order, that a member reads.
  std::optional<size_t> next_candidate(const FusionGroup& group,
                                       const std::set<size_t>& tried) const {
    std::optional<size_t> last;
    for (const tra::NodeId member : group.nodes()) {
      for (const tra::NodeId input : tra::inputs_of(from_.at(member).op)) {
        const size_t number = input.index();
        if (is_candidate(input) && !group.has(input) && tried.count(number) == 0 &&
            (!last || number > *last)) {
          last = number;
        }
      }
    }
    return last;
  }

  /// Notes why a node is left apart. The last of several reasons counts: it is about the largest
  /// group.
  void note_reason(const FusionGroup& group, tra::NodeId node, const std::string& why) {
    apart_[node.index()] = {"fuse", from_.at(node).origin.statement,
                            fmt::format("apart from {}: {}", group.origin().statement, why)};
  }

  /// Drops the reasons of nodes that were taken in later.
  void keep_reasons(const FusionGroup& group) {
    for (auto& [number, reason] : apart_) {
      if (!group.has(tra::NodeId(static_cast<int64_t>(number)))) {
        result_.reasons.push_back(std::move(reason));
      }
    }
    apart_.clear();
  }

  /// Moves the operators that stay out of the old graph; groups read the types of all its nodes.
  void rebuild() {
    std::vector<tra::NodeId> renumbered(from_.nodes.size());
    result_.graph.nodes.reserve(from_.nodes.size());
    for (size_t number = 0; number < from_.nodes.size(); ++number) {
      tra::Node& node = from_.nodes[number];
      if (!group_of_[number]) {
        result_.graph.nodes.push_back(
            {with_renumbered_inputs(std::move(node.op), renumbered), node.type, node.origin});
      } else if (const FusionGroup& group = groups_[*group_of_[number]];
                 group.nodes().back().index() == number) {
        result_.graph.nodes.push_back(
            {with_renumbered_inputs(join_of(group), renumbered), node.type, group.origin()});
        result_.applied_at.push_back(node.origin.statement);
      } else {
        continue;  // its statements are those of the last member
      }
      renumbered[number] = tra::NodeId(static_cast<int64_t>(result_.graph.nodes.size()) - 1);
    }
    for (const tra::Output& output : from_.outputs) {
      result_.graph.outputs.push_back({output.name, renumbered[output.node.index()]});
    }
  }

  tra::Graph from_;
  Subexpressions subexpressions_;
  Readers readers_;
  std::vector<int64_t> kernels_;  // kernel numbers by node
  const MemorySpace& memory_;
  CallCosts costs_;
  std::unordered_map<GroupIdentity, Call, HashOfGroup> calls_;
  std::vector<FusionGroup> groups_;
  std::vector<std::optional<size_t>> group_of_;  // by node
  std::map<size_t, Reason> apart_;               // from the group that grows, by node
  rewrite::Passed<tra::Graph> result_;
};

}  // namespace

rewrite::Passed<tra::Graph> fuse(tra::Graph graph, const kernels::Context& context,
                                 Subexpressions subexpressions) {
  return Fusion(std::move(graph), context, subexpressions).run();
}

}  // namespace tessera::optimizer
