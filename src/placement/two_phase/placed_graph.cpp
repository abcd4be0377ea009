#include "placement/two_phase/placed_graph.h"

#include <optional>
#include <utility>

#include "base/error.h"
#include "ir/ia/placement_of.h"
#include "ir/tra/infer.h"
#include "optimizer/ia/moves.h"

namespace tessera::placement::two_phase {

namespace {

/// Whether an operator makes tuples of others where these come together. Views and inputs stay.
bool brings_together(const tra::Op& op, const ia::Node& node, const ia::Graph& graph) {
  struct Reader {
    const ia::Node& node;
    const ia::Graph& graph;
    bool operator()(const tra::Input&) const { return false; }
    bool operator()(const tra::Join&) const { return true; }
    bool operator()(const tra::Aggregate&) const { return true; }
    bool operator()(const tra::Transform&) const { return true; }
    bool operator()(const tra::Concat&) const { return true; }
    bool operator()(const tra::Rekey&) const { return false; }
    bool operator()(const tra::Filter&) const { return false; }
    bool operator()(const tra::Tile&) const { return false; }
    bool operator()(const tra::Repartition& repartition) const {
      return !tra::refines(node.type.key, graph.at(repartition.input).type.key);
    }
  };
  return std::visit(Reader{node, graph}, op);
}

class Placing {
 public:
  Placing(const ia::Graph& graph, const Piloted& piloted, int32_t num_sites)
      : from_(graph), piloted_(piloted), moved_(graph.nodes.size()) {
    to_.num_sites = num_sites;
    to_.is_reproducible = graph.is_reproducible;
  }

  ia::Graph run() && {
    for (size_t number = 0; number < from_.nodes.size(); ++number) {
      add_node(ia::NodeId(static_cast<int64_t>(number)));
    }
    for (const ia::Output& output : from_.outputs) {
      to_.outputs.push_back({output.name, made_[output.node.index()]});
    }
    return std::move(to_);
  }

 private:
  const TuplesByKey& tuples_of(ia::NodeId id) const { return piloted_.by_node[id.index()]; }

  ia::NodeId add(ia::Node node) {
    to_.nodes.push_back(std::move(node));
    return ia::NodeId(static_cast<int64_t>(to_.nodes.size()) - 1);
  }

  void add_node(ia::NodeId id) {
    const ia::Node& node = from_.at(id);
    const tra::Op& op = *ia::local_op(node);
    std::vector<ia::NodeId> inputs;
    const bool brings = brings_together(op, node, from_);
    const auto partial = piloted_.partial.find(id);
    if (partial != piloted_.partial.end()) {
      inputs.push_back(merged_in_parts(node, std::get<tra::Aggregate>(op), partial->second));
    } else {
      for (const ia::NodeId input : tra::inputs_of(op)) {
        inputs.push_back(brings ? moved(input, node.origin) : made_[input.index()]);
      }
    }
    made_.push_back(add_local(tra::with_inputs(op, inputs), node.type, tuples_of(id), node.origin));
  }

  /// An operator where its tuples are made.
  ia::NodeId add_local(tra::Op op, const tra::RelationType& type, const TuplesByKey& tuples,
                       const Origin& origin) {
    ia::LocalOp local{std::move(op)};
    ia::Node node{{}, type, made_at(tuples, type), origin};
    if (!std::holds_alternative<tra::Input>(local.op)) {
      settle(local, node);
    }
    node.op = std::move(local);
    return add(std::move(node));
  }

  /// The partial results that an aggregate merges, where it merges them.
  ia::NodeId merged_in_parts(const ia::Node& node, const tra::Aggregate& aggregate,
                             const PartialResults& partial) {
    tra::Aggregate parts = aggregate;
    parts.input = made_[aggregate.input.index()];
    parts.coarser = partial.dims;
    for (const tra::DenseDim& dim : partial.dims) {
      parts.keep.push_back(dim.label);
    }
    const tra::RelationType type = tra::infer_type(parts, tra::relations_of(to_));
    const ia::NodeId made = add_local(parts, type, partial.tuples, node.origin);
    return sent(made, partial.tuples, node.origin);
  }

  /// Names the sites that make tuples where these do not follow.
  void settle(ia::LocalOp& local, ia::Node& node) const {
    const OrRefusal<ia::Placement> inferred = ia::placement_of(to_, local, node.type);
    if (inferred && ia::lie_alike(*inferred, node.placement, node.type.key, to_.num_sites)) {
      node.placement = *inferred;
    } else {
      local.at = node.placement;
    }
  }

  /// Where tuples are made.
  ia::Placement made_at(const TuplesByKey& tuples, const tra::RelationType& type) const {
    std::vector<int32_t> sites;
    for (const int32_t tuple : tuples) {
      sites.push_back(tuple == kNoTuple ? ia::kNowhere : piloted_.tuples.home(tuple));
    }
    return ia::map_or_table(std::move(sites), type.key, to_.num_sites);
  }

  /// The tuples of a node where they are needed. One move is for all that read them.
  ia::NodeId moved(ia::NodeId id, const Origin& origin) {
    std::optional<ia::NodeId>& known = moved_[id.index()];
    if (!known) {
      known = sent(made_[id.index()], tuples_of(id), origin);
    }
    return *known;
  }

  ia::NodeId sent(ia::NodeId made, const TuplesByKey& tuples, const Origin& origin) {
    const ia::Node& node = to_.at(made);
    const ia::Placement wanted = needed_at(tuples, node.type);
    return ia::lie_alike(wanted, node.placement, node.type.key, to_.num_sites)
               ? made
               : add(optimizer::moved_to(to_, made, wanted, origin));
  }

  ia::Placement needed_at(const TuplesByKey& tuples, const tra::RelationType& type) const {
    ia::SiteSets sets;
    for (const int32_t tuple : tuples) {
      std::vector<int32_t> sites;
      if (tuple != kNoTuple) {
        piloted_.tuples.needed().for_each(static_cast<size_t>(tuple),
                                          [&](int32_t site) { sites.push_back(site); });
        if (sites.empty()) {
          sites.push_back(piloted_.tuples.home(tuple));
        }
      }
      sets.add(sites);
    }
    ia::Placement copied = ia::copied(std::move(sets), to_.num_sites);
    if (!ia::is_one_copy(copied)) {
      return copied;
    }
    return ia::map_or_table(ia::sites_of(copied, type.key, to_.num_sites), type.key, to_.num_sites);
  }

  const ia::Graph& from_;
  const Piloted& piloted_;
  ia::Graph to_;
  std::vector<ia::NodeId> made_;                  // by node of the program
  std::vector<std::optional<ia::NodeId>> moved_;  // the same, where they are needed
};

}  // namespace

ia::Graph placed_graph(const ia::Graph& graph, const Piloted& piloted, int32_t num_sites) {
  return Placing(graph, piloted, num_sites).run();
}

}  // namespace tessera::placement::two_phase
