#include "placement/two_phase/placed_graph.h"

#include <optional>
#include <utility>

#include "base/error.h"
#include "ir/ia/placement_of.h"
#include "ir/tra/infer.h"
#include "ir/tra/keys.h"
#include "optimizer/ia/moves.h"

namespace tessera::placement::two_phase {

namespace {

/// True if an operator makes tuples of others that come together. Views and inputs stay.
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
    bool operator()(const tra::Scan&) const { return true; }
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
    if (const auto* const parts = std::get_if<tra::Aggregate>(&op); is_of_parts(id)) {
      inputs.push_back(merged_in_parts(id, node, *parts));
    } else {
      for (const ia::NodeId input : tra::inputs_of(op)) {
        inputs.push_back(brings ? moved(input, node.origin) : made_[input.index()]);
      }
    }
    made_.push_back(add_local(tra::with_inputs(op, inputs), node.type, tuples_of(id), node.origin));
  }

  /// Adds an operator at the sites of its tuples.
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

  bool is_of_parts(ia::NodeId id) const {
    return piloted_.partial.count(id) + piloted_.of_workers.count(id) > 0;
  }

  /// Adds the partial results that an aggregate merges, if it does: of each worker, and from these
  /// those of each site.
  ia::NodeId merged_in_parts(ia::NodeId id, const ia::Node& node, const tra::Aggregate& aggregate) {
    ia::NodeId made = made_[aggregate.input.index()];
    if (const auto runs = piloted_.of_workers.find(id); runs != piloted_.of_workers.end()) {
      const tra::Aggregate merged = keeping(aggregate, made, runs->second);
      const tra::RelationType type = tra::infer_type(merged, tra::relations_of(to_));
      const TuplesByKey tuples =
          first_of_each(tuples_of(aggregate.input), to_.at(made).type.key, type.key);
      made = add_local(merged, type, tuples, node.origin);
    }
    const auto partial = piloted_.partial.find(id);
    if (partial == piloted_.partial.end()) {
      return made;
    }
    const auto& [dims, tuples] = partial->second;
    const tra::Aggregate merged = keeping(aggregate, made, dims);
    const tra::RelationType type = tra::infer_type(merged, tra::relations_of(to_));
    return sent(add_local(merged, type, tuples, node.origin), tuples, node.origin);
  }

  /// Returns the aggregate over another input that keeps these dimensions too.
  static tra::Aggregate keeping(const tra::Aggregate& aggregate, ia::NodeId input,
                                const std::vector<tra::DenseDim>& dims) {
    tra::Aggregate keeping = aggregate;
    keeping.input = input;
    keeping.coarser = dims;
    for (const tra::DenseDim& dim : dims) {
      keeping.keep.push_back(dim.label);
    }
    return keeping;
  }

  /// Returns the first tuple of every coarser key: its tuples are made on one site.
  static TuplesByKey first_of_each(const TuplesByKey& tuples, const std::vector<tra::KeyDim>& fine,
                                   const std::vector<tra::KeyDim>& coarse) {
    TuplesByKey first(static_cast<size_t>(tra::num_keys(coarse)), kNoTuple);
    const tra::Coarsening coarser(fine, coarse);
    size_t number = 0;
    for (const int64_t group : coarser.numbers()) {
      int32_t& of_coarser = first[static_cast<size_t>(group)];
      of_coarser = of_coarser == kNoTuple ? tuples[number] : of_coarser;
      ++number;
    }
    return first;
  }

  /// Names the sites of an operator if these do not follow from its inputs.
  void settle(ia::LocalOp& local, ia::Node& node) const {
    const OrRefusal<ia::Placement> inferred = ia::placement_of(to_, local, node.type);
    if (inferred && ia::lie_alike(*inferred, node.placement, node.type.key, to_.num_sites)) {
      node.placement = *inferred;
    } else {
      local.at = node.placement;
    }
  }

  /// Returns the placement of tuples at the sites that make them.
  ia::Placement made_at(const TuplesByKey& tuples, const tra::RelationType& type) const {
    std::vector<int32_t> sites;
    for (const int32_t tuple : tuples) {
      sites.push_back(tuple == kNoTuple ? ia::kNowhere : piloted_.tuples.home(tuple));
    }
    return ia::map_or_table(std::move(sites), type.key, to_.num_sites);
  }

  /// Returns the tuples of a node where they are needed. All readers share one move.
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
    std::vector<int32_t> sites;
    for (const int32_t tuple : tuples) {
      sites.clear();
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
  std::vector<std::optional<ia::NodeId>> moved_;  // by node, where its tuples are needed
};

}  // namespace

ia::Graph placed_graph(const ia::Graph& graph, const Piloted& piloted, int32_t num_sites) {
  return Placing(graph, piloted, num_sites).run();
}

}  // namespace tessera::placement::two_phase
