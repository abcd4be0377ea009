#include "optimizer/ia/floats_moved.h"

#include <algorithm>
#include <numeric>

#include "ir/tra/key_predicate.h"
#include "ir/tra/keys.h"
#include "optimizer/ia/moves.h"

namespace tessera::optimizer {

namespace {

using ia::NodeId;
using Frontier = std::vector<int64_t>;

/// The most keys that are looked at one by one.
constexpr int64_t kMostKeys = int64_t{1} << 16;

Frontier extents_of(const std::vector<tra::KeyDim>& key) {
  Frontier frontier;
  for (const tra::KeyDim& dim : key) {
    frontier.push_back(tra::num_keys(dim));
  }
  return frontier;
}

void raise_above(Frontier& frontier, const tra::Key& key) {
  for (size_t dim = 0; dim < key.size(); ++dim) {
    frontier[dim] = std::max(frontier[dim], key[dim] + 1);
  }
}

/// Counts the pieces of one grid that the first pieces of another reach into.
int64_t recut(int64_t pieces, const tra::KeyDim& from, const tra::KeyDim& to) {
  if (tra::windows_of(to) != nullptr) {
    return tra::num_keys(to);
  }
  const ModeGrid* old = tra::grid_of(from);
  const ModeGrid* made = tra::grid_of(to);
  if (old == nullptr || made == nullptr || pieces == 0) {
    return pieces;
  }
  return piece_at(*made, std::max<int64_t>(old->cuts[static_cast<size_t>(pieces)] - 1, 0)) + 1;
}

class Frontiers {
 public:
  explicit Frontiers(const ia::Graph& graph) : graph_(graph) {}

  std::vector<Frontier> run() && {
    for (const ia::Node& node : graph_.nodes) {
      node_ = &node;
      const std::optional<NodeId> moved = moved_by(node);
      known_.push_back(moved ? of(*moved) : std::visit(*this, *ia::local_op(node)));
    }
    return std::move(known_);
  }

  Frontier operator()(const tra::Input&) const {
    return std::visit(Overload{[&](const tra::AllKeys&) { return extents_of(key()); },
                               [&](const tra::ListedKeys& some) {
                                 Frontier frontier(key().size(), 0);
                                 for (const tra::Key& present : some.keys) {
                                   raise_above(frontier, present);
                                 }
                                 return frontier;
                               },
                               [&](const tra::UnknownKeys&) { return extents_of(key()); }},
                      node_->type.present);
  }

  /// Takes the lowest frontier of a label that several inputs have.
  Frontier operator()(const tra::Join& join) const {
    Frontier frontier = extents_of(key());
    for (size_t input = 0; input < join.inputs.size(); ++input) {
      for (size_t dim = 0; dim < join.match[input].size(); ++dim) {
        const int place = tra::find_key_dim(key(), join.match[input][dim]);
        if (place >= 0) {
          int64_t& lowest = frontier[static_cast<size_t>(place)];
          lowest = std::min(lowest, of(join.inputs[input])[dim]);
        }
      }
    }
    return frontier;
  }

  Frontier operator()(const tra::Filter& filter) const {
    const Frontier& from = of(filter.input);
    std::vector<tra::KeyRange> ranges;
    double keys = 1;
    for (const int64_t end : from) {
      ranges.push_back({0, end});
      keys *= static_cast<double>(end);
    }
    if (keys > static_cast<double>(kMostKeys)) {
      return from;
    }
    Frontier frontier(from.size(), 0);
    for (const tra::Key& each : tra::Keys(ranges)) {
      if (tra::holds(filter.predicate, each).value_or(true)) {
        raise_above(frontier, each);
      }
    }
    return frontier;
  }

  /// Evaluates the map at a corner, where an affine map is largest.
  Frontier operator()(const tra::Rekey& rekey) const {
    const std::vector<tra::KeyDim>& from = graph_.at(rekey.input).type.key;
    Frontier frontier;
    for (const tra::KeyExpression& expression : rekey.key) {
      int64_t largest = expression.offset;
      for (const tra::KeyExpression::Term& term : expression.terms) {
        const auto dim = static_cast<size_t>(tra::find_key_dim(from, term.label));
        largest += std::max<int64_t>(0, term.coefficient * (of(rekey.input)[dim] - 1));
      }
      frontier.push_back(largest + 1);
    }
    return frontier;
  }

  Frontier operator()(const tra::Transform& transform) const { return of(transform.input); }
  Frontier operator()(const tra::Aggregate& aggregate) const { return kept(aggregate.input); }
  Frontier operator()(const tra::Concat& concat) const { return kept(concat.input); }
  Frontier operator()(const tra::Tile& tile) const { return kept(tile.input); }
  Frontier operator()(const tra::Repartition& repartition) const { return kept(repartition.input); }
  Frontier operator()(const tra::Scan& scan) const { return of(scan.input); }

 private:
  const std::vector<tra::KeyDim>& key() const { return node_->type.key; }
  const Frontier& of(NodeId node) const { return known_[node.index()]; }

  /// Returns the frontier by label, in the input's pieces; a new dimension has all of its pieces.
  Frontier kept(NodeId input) const {
    const std::vector<tra::KeyDim>& from = graph_.at(input).type.key;
    Frontier frontier;
    for (const tra::KeyDim& dim : key()) {
      const int place = tra::find_key_dim(from, tra::label_of(dim));
      frontier.push_back(place < 0 ? tra::num_keys(dim)
                                   : recut(of(input)[static_cast<size_t>(place)],
                                           from[static_cast<size_t>(place)], dim));
    }
    return frontier;
  }

  const ia::Graph& graph_;
  const ia::Node* node_ = nullptr;
  std::vector<Frontier> known_;
};

/// Returns the elements of a tuple, if all tuples were alike.
double bound_of(const tra::RelationType& type) {
  double elements = 0;
  for (const tra::Column& column : type.columns) {
    double bound = 1;
    for (const tra::Mode& mode : column.modes) {
      const int dim = tra::find_key_dim(type.key, mode.label);
      const bool is_cut = dim >= 0 && tra::grid_of(type.key[static_cast<size_t>(dim)]) != nullptr;
      bound *=
          static_cast<double>(mode.extent) /
          (is_cut ? static_cast<double>(tra::num_keys(type.key[static_cast<size_t>(dim)])) : 1);
    }
    elements += bound;
  }
  return elements;
}

const tra::Aggregate* aggregate_of(const ia::Graph& graph, NodeId node) {
  const tra::Op* op = ia::local_op(graph.at(node));
  return op == nullptr ? nullptr : std::get_if<tra::Aggregate>(op);
}

/// Returns, for each node that moves the first phase of an aggregate, the aggregate that is the
/// second.
std::vector<const tra::Aggregate*> second_phases(const ia::Graph& graph) {
  std::vector<const tra::Aggregate*> second(graph.nodes.size(), nullptr);
  for (size_t number = 0; number < graph.nodes.size(); ++number) {
    const NodeId node(static_cast<int64_t>(number));
    const tra::Aggregate* aggregate = aggregate_of(graph, node);
    const bool is_moved = aggregate != nullptr && moved_by(graph.at(aggregate->input)).has_value();
    const tra::Aggregate* first =
        is_moved ? aggregate_of(graph, unmoved(graph, aggregate->input)) : nullptr;
    if (first != nullptr && first->monoid == aggregate->monoid) {
      second[aggregate->input.index()] = aggregate;
    }
  }
  return second;
}

/// Returns how often a tuple is duplicated for a join placed by labels that the tuple lacks: once
/// for every key of these, like in the paper's RMM.
double duplicates_for(const tra::Join& join, size_t input, const ia::ByMap& at,
                      const Frontier& frontier) {
  double duplicates = 1;
  const std::vector<std::string>& match = join.match[input];
  for (const ia::SiteTerm& term : at.terms) {
    if (std::find(match.begin(), match.end(), term.label) == match.end()) {
      const auto dim = static_cast<size_t>(tra::find_key_dim(join.key, term.label));
      duplicates *= static_cast<double>(frontier[dim]);
    }
  }
  return duplicates;
}

/// Returns, by node, the number of copies that a shuffle makes of each tuple; 1 for all other
/// nodes.
std::vector<double> copies(const ia::Graph& graph, const std::vector<Frontier>& known) {
  std::vector<double> made(graph.nodes.size(), 1);
  for (size_t number = 0; number < graph.nodes.size(); ++number) {
    const auto* local = std::get_if<ia::LocalOp>(&graph.nodes[number].op);
    const auto* join = local == nullptr ? nullptr : std::get_if<tra::Join>(&local->op);
    const ia::ByMap* at = join != nullptr && local->at ? ia::map_of(*local->at) : nullptr;
    for (size_t input = 0; at != nullptr && input < join->inputs.size(); ++input) {
      const size_t moved = join->inputs[input].index();
      if (ia::is_by_copies(graph.nodes[moved].placement)) {
        made[moved] = duplicates_for(*join, input, *at, known[number]);
      }
    }
  }
  return made;
}

double tuples_of(const Frontier& frontier) {
  return std::accumulate(frontier.begin(), frontier.end(), 1.0, [](double tuples, int64_t end) {
    return tuples * static_cast<double>(end);
  });
}

/// Counts the groups of an aggregate: the product over the dimensions it keeps.
double groups_of(const Frontier& frontier, const std::vector<tra::KeyDim>& key,
                 const tra::Aggregate& aggregate) {
  Frontier kept;
  for (const std::string& label : aggregate.keep) {
    kept.push_back(frontier[static_cast<size_t>(tra::find_key_dim(key, label))]);
  }
  return tuples_of(kept);
}

}  // namespace

std::vector<std::vector<int64_t>> frontiers(const ia::Graph& graph) {
  return Frontiers(graph).run();
}

std::vector<double> floats_moved(const ia::Graph& graph) {
  const std::vector<Frontier> known = frontiers(graph);
  const std::vector<const tra::Aggregate*> second = second_phases(graph);
  const std::vector<double> duplicates = copies(graph, known);
  std::vector<double> floats;
  for (size_t number = 0; number < graph.nodes.size(); ++number) {
    const ia::Node& node = graph.nodes[number];
    if (!moved_by(node)) {
      floats.push_back(0);
      continue;
    }
    const double tuples = second[number] == nullptr
                              ? tuples_of(known[number])
                              : groups_of(known[number], node.type.key, *second[number]);
    const bool is_broadcast = ia::is_everywhere(node.placement) && graph.num_sites > 1;
    floats.push_back(tuples * bound_of(node.type) *
                     (is_broadcast ? static_cast<double>(graph.num_sites) : duplicates[number]));
  }
  return floats;
}

double total_floats_moved(const ia::Graph& graph) {
  const std::vector<double> floats = floats_moved(graph);
  return std::accumulate(floats.begin(), floats.end(), 0.0);
}

}  // namespace tessera::optimizer
