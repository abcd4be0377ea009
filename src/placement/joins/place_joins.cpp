#include "placement/joins/place_joins.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "ir/ia/placement_of.h"
#include "ir/tra/infer.h"
#include "ir/tra/keys.h"
#include "optimizer/ia/joined_sites.h"
#include "optimizer/ia/partial_aggregate.h"
#include "optimizer/lowering/ia_builder.h"
#include "optimizer/rewrite/proposal.h"

namespace tessera::placement::joins {

namespace {

using ia::NodeId;
using optimizer::IaBuilder;
using KeySpace = std::vector<tra::KeyDim>;

class JoinPlacing {
 public:
  JoinPlacing(const tra::Graph& graph, int64_t num_sites, const Policy& policy)
      : from_(graph),
        policy_(policy),
        num_sites_(num_sites),
        to_(num_sites, graph.is_reproducible, graph.nodes.size()),
        readers_(graph.nodes.size()) {
    for (const tra::Node& node : graph.nodes) {
      for (const tra::NodeId input : tra::inputs_of(node.op)) {
        readers_[input.index()].push_back(&node);
      }
    }
  }

  ia::Graph run() {
    for (size_t number = 0; number < from_.nodes.size(); ++number) {
      const tra::Node& node = from_.nodes[number];
      current_ = number;
      node_of_.push_back(std::visit([&](const auto& op) { return translate(node, op); }, node.op));
    }
    std::vector<ia::Output> outputs;
    for (const tra::Output& output : from_.outputs) {
      outputs.push_back({output.name, at(output.node)});
    }
    return std::move(to_).take(std::move(outputs));
  }

  /// Returns notes for the user about the chosen planner.
  std::vector<std::string> take_notes() {
    if (!places_any_) {
      notes_.push_back(fmt::format(
          "{} places no join of this program: none reads tensors that lie apart and is cut along a "
          "label that {} splits; everything is where the largest tensor that it reads lies",
          policy_.planner, policy_.planner));
    }
    return std::move(notes_);
  }

 private:
  NodeId at(tra::NodeId id) const { return node_of_[id.index()]; }
  const ia::Node& node_at(NodeId id) const { return to_.graph().at(id); }

  bool is_input(NodeId node) const {
    const tra::Op* op = ia::local_op(node_at(node));
    return op != nullptr && std::holds_alternative<tra::Input>(*op);
  }

  /// Places runs of the one dimension that is cut, if there is one, else tuples on sites in turn.
  ia::Placement spread(const KeySpace& key) const {
    ia::ByMap map;
    for (const tra::KeyDim& dim : key) {
      const int64_t run = (tra::num_keys(dim) + num_sites_ - 1) / num_sites_;
      if (tra::num_keys(dim) > 1) {
        map.terms.push_back({tra::label_of(dim), 1, run});
      }
    }
    return map.terms.size() == 1 ? ia::Placement(map) : to_.in_turn(key);
  }

  // ---- moves, each made once

  NodeId broadcast(NodeId node, const Origin& origin) {
    const auto [known, is_new] = moved_.emplace(std::pair(node, std::string("everywhere")), node);
    if (is_new) {
      known->second = to_.broadcast(node, origin);
    }
    return known->second;
  }

  /// Moves a node's tuples. An input is read there instead.
  NodeId moved(NodeId node, const ia::Placement& wanted, const Origin& origin) {
    const ia::Node& source = node_at(node);
    if (ia::lie_alike(source.placement, wanted, source.type.key, num_sites_)) {
      return node;
    }
    const auto [known, is_new] = moved_.emplace(std::pair(node, ia::to_string(wanted)), node);
    if (is_new) {
      const bool is_read_there = is_input(node) && ia::is_one_copy(wanted);
      known->second = is_read_there ? to_.add(source.op, source.type, wanted, source.origin)
                                    : to_.shuffled(node, wanted, origin);
    }
    return known->second;
  }

  /// Brings the tuples of an operand to the sites that need them, for a join at these sites.
  NodeId brought(NodeId node, const std::vector<std::string>& match, const ia::ByMap& sites,
                 const KeySpace& joined, const Origin& origin) {
    if (ia::is_everywhere(node_at(node).placement)) {
      return node;
    }
    const KeySpace& key = to_.key_of(node);
    if (const std::optional<ia::ByMap> own = optimizer::by_dims(sites, key, match)) {
      return moved(node, ia::simplified(*own, key, num_sites_), origin);
    }
    const bool has_some =
        std::any_of(sites.terms.begin(), sites.terms.end(), [&](const auto& term) {
          return std::find(match.begin(), match.end(), term.label) != match.end();
        });
    if (!has_some) {
      return broadcast(node, origin);
    }
    const ia::SiteSets sets = optimizer::sites_met(sites, joined, key, match, num_sites_);
    const NodeId source = is_input(node) ? moved(node, optimizer::one_of(sets), origin) : node;
    return moved(source, ia::copied(sets, num_sites_), origin);
  }

  // ---- joins

  NodeId translate(const tra::Node& node, const tra::Join& join) {
    std::vector<NodeId> inputs;
    for (const tra::NodeId input : join.inputs) {
      inputs.push_back(at(input));
    }
    const Contraction contraction = contraction_of(node, join, inputs);
    std::optional<ia::ByMap> sites = shared_sites(contraction);
    if (!sites) {
      if (const auto joined = to_.local(tra::with_inputs(join, inputs), node.type, node.origin)) {
        return *joined;
      }
      sites = policy_.sites_of(contraction);
      if (sites) {
        places_any_ = true;
        note_sites(policy_, contraction, *sites, node.origin.statement, notes_);
      }
    }
    if (!sites) {
      sites = sites_of_largest(contraction);
    }
    return sites ? made_at(node, join, join.match, std::move(inputs), *sites)
                 : around_largest(node, join, std::move(inputs), contraction);
  }

  /// Places a walking scan like the join of the tuples that meet in its steps, at its tiles.
  NodeId translate(const tra::Node& node, const tra::Scan& scan) {
    if (!scan.walks()) {
      return to_.translated(scan, at(scan.input), node, spread(node.type.key));
    }
    const tra::Join steps = tra::steps_of(scan, node.type.key);
    std::vector<NodeId> inputs;
    for (const tra::NodeId input : steps.inputs) {
      inputs.push_back(at(input));
    }
    const Contraction contraction = contraction_of(node, steps, inputs);
    std::optional<ia::ByMap> sites = shared_sites(contraction);
    if (!sites) {
      if (const auto scanned = to_.local(tra::with_inputs(scan, inputs), node.type, node.origin)) {
        return *scanned;
      }
      sites = sites_of_largest(contraction);
    }
    return sites ? made_at(node, scan, steps.match, std::move(inputs), *sites)
                 : around_largest(node, scan, std::move(inputs), contraction);
  }

  Contraction contraction_of(const tra::Node& node, const tra::Join& join,
                             const std::vector<NodeId>& inputs) const {
    Contraction contraction;
    contraction.key = node.type.key;
    contraction.num_sites = num_sites_;
    contraction.result_bytes = optimizer::relation_bytes(node.type);
    for (size_t input = 0; input < inputs.size(); ++input) {
      const ia::Node& source = node_at(inputs[input]);
      Operand operand{optimizer::relation_bytes(source.type), join.match[input]};
      operand.is_everywhere = ia::is_everywhere(source.placement);
      operand.is_input = is_input(inputs[input]);
      const ia::ByMap* map = ia::map_of(source.placement);
      if (map != nullptr && !operand.is_input) {
        operand.lies =
            ia::simplified(optimizer::by_labels(*map, source.type.key, join.match[input]),
                           node.type.key, num_sites_);
      }
      contraction.operands.push_back(std::move(operand));
    }
    add_sums(contraction);
    return contraction;
  }

  void add_sums(Contraction& contraction) const {
    const std::vector<const tra::Node*>& readers = readers_[current_];
    const auto* aggregate =
        readers.size() == 1 ? std::get_if<tra::Aggregate>(&readers.front()->op) : nullptr;
    if (aggregate == nullptr) {
      return;
    }
    contraction.result_bytes = optimizer::relation_bytes(readers.front()->type);
    for (const tra::KeyDim& dim : contraction.key) {
      if (tra::find_key_dim(readers.front()->type.key, tra::label_of(dim)) < 0) {
        contraction.summed.insert(tra::label_of(dim));
      }
    }
  }

  /// Returns the sites where all operands that are placed by a map lie, if inputs can be read there
  /// too.
  std::optional<ia::ByMap> shared_sites(const Contraction& contraction) const {
    std::optional<ia::ByMap> shared;
    for (const Operand& operand : contraction.operands) {
      const bool is_apart = shared && operand.lies && *shared != *operand.lies;
      if (is_apart || (!operand.lies && !operand.is_everywhere && !operand.is_input)) {
        return std::nullopt;
      }
      shared = shared ? shared : operand.lies;
    }
    const bool can_be_read = std::all_of(
        contraction.operands.begin(), contraction.operands.end(), [&](const Operand& operand) {
          return !operand.is_input || operand.is_everywhere || (shared && operand.has_all(*shared));
        });
    return shared && can_be_read ? shared : std::nullopt;
  }

  /// Returns the sites of the largest operand that is placed by a map, or can be spread by one; one
  /// site only if none can be spread.
  std::optional<ia::ByMap> sites_of_largest(const Contraction& contraction) const {
    std::optional<ia::ByMap> sites;
    double most = -1;
    for (const Operand& operand : contraction.operands) {
      const std::optional<ia::ByMap> map =
          operand.is_input ? spread_of(operand, contraction) : operand.lies;
      const bool is_spread = map && !map->terms.empty();
      const bool is_other = sites && is_spread != !sites->terms.empty();
      if (map && !operand.is_everywhere && (is_other ? is_spread : operand.bytes > most)) {
        sites = map;
        most = operand.bytes;
      }
    }
    return sites;
  }

  /// Spreads an input in runs of the last label that is cut, so that rows stay together.
  static ia::ByMap spread_of(const Operand& input, const Contraction& contraction) {
    ia::ByMap map;
    for (const std::string& label : contraction.cut_labels()) {
      map = input.has(label) ? in_runs(contraction, label) : map;
    }
    return map;
  }

  /// Adds an operator at these sites, with the tuples that meet brought there; `match` like in a
  /// join.
  NodeId made_at(const tra::Node& node, const tra::Op& op,
                 const std::vector<std::vector<std::string>>& match, std::vector<NodeId> inputs,
                 const ia::ByMap& sites) {
    bool has_copies = false;
    for (size_t input = 0; input < inputs.size(); ++input) {
      inputs[input] = brought(inputs[input], match[input], sites, node.type.key, node.origin);
      has_copies = has_copies || ia::is_by_copies(node_at(inputs[input]).placement);
    }
    ia::LocalOp local{tra::with_inputs(op, inputs)};
    if (has_copies) {
      local.at = sites;
    }
    OrRefusal<ia::Placement> made = ia::placement_of(to_.graph(), local, node.type);
    if (!made) {
      throw_error(ErrorKind::unsupported, "{} on several sites: {}", to_string(node.origin),
                  made.reason());
    }
    return to_.add(std::move(local), node.type, std::move(*made), node.origin);
  }

  /// Adds a join whose largest operand is placed by a table or in copies, at that operand.
  NodeId around_largest(const tra::Node& node, const tra::Op& op, std::vector<NodeId> inputs,
                        const Contraction& contraction) {
    size_t stays = 0;
    for (size_t input = 0; input < inputs.size(); ++input) {
      const std::vector<Operand>& operands = contraction.operands;
      stays = !operands[input].is_everywhere && (operands[stays].is_everywhere ||
                                                 operands[input].bytes > operands[stays].bytes)
                  ? input
                  : stays;
    }
    for (size_t input = 0; input < inputs.size(); ++input) {
      inputs[input] = input == stays ? inputs[input] : broadcast(inputs[input], node.origin);
    }
    return to_.surely_local(tra::with_inputs(op, inputs), node.type, node.origin);
  }

  // ---- sums

  NodeId translate(const tra::Node& node, const tra::Aggregate& aggregate) {
    const NodeId input = at(aggregate.input);
    if (const auto result =
            to_.local(tra::with_inputs(aggregate, {input}), node.type, node.origin)) {
      return *result;
    }
    NodeId before = input;
    if (const OrRefusal<tra::Aggregate> partial =
            optimizer::partial_aggregate(to_.graph(), aggregate, input)) {
      before = to_.surely_local(*partial, tra::infer_type(*partial, tra::relations_of(to_.graph())),
                                node.origin);
    }
    const bool is_few = tra::num_keys(node.type.key) < num_sites_ && !readers_[current_].empty();
    const ia::Placement wanted = policy_.merges_everywhere && is_few
                                     ? ia::Placement(ia::Everywhere{})
                                     : sites_of_groups(node.type.key, node_at(before));
    return to_.merged(aggregate, before, node.type, wanted, node.origin);
  }

  /// Places each group on one of the sites that have a part of it: by the terms that its key has,
  /// and along its longest dimension in turn for the others.
  ia::Placement sites_of_groups(const KeySpace& key, const ia::Node& parts) const {
    const ia::ByMap* map = ia::map_of(parts.placement);
    const auto longest = std::max_element(key.begin(), key.end(), [](const auto& a, const auto& b) {
      return tra::num_keys(a) < tra::num_keys(b);
    });
    if (map == nullptr || longest == key.end()) {
      return spread(key);
    }
    ia::ByMap groups;
    for (const ia::SiteTerm& term : map->terms) {
      const int place = tra::find_key_dim(key, term.label);
      if (place >= 0) {
        groups.terms.push_back(term);
        continue;
      }
      const int64_t keys = tra::num_keys(
          parts.type.key[static_cast<size_t>(tra::find_key_dim(parts.type.key, term.label))]);
      const int64_t blocks = (keys + term.block - 1) / term.block;
      groups.terms.push_back({tra::label_of(*longest), term.stride, 1,
                              term.cycle == 0 ? blocks : std::min(blocks, term.cycle)});
    }
    return ia::simplified(groups, key, num_sites_);
  }

  // ---- all others, at their inputs

  NodeId translate(const tra::Node& node, const tra::Input& input) {
    return to_.add(ia::LocalOp{input}, node.type, spread(node.type.key), node.origin);
  }
  template <class Op>
  NodeId translate(const tra::Node& node, const Op& op) {
    return to_.translated(op, at(op.input), node, spread(node.type.key));
  }

  const tra::Graph& from_;
  const Policy& policy_;
  int64_t num_sites_;
  IaBuilder to_;
  std::vector<std::vector<const tra::Node*>> readers_;  // by node
  std::vector<NodeId> node_of_;
  std::map<std::pair<NodeId, std::string>, NodeId> moved_;  // by moved node and target
  size_t current_ = 0;
  bool places_any_ = false;
  std::vector<std::string> notes_;
};

}  // namespace

ia::Graph place_joins(const tra::Graph& relations, const Policy& policy,
                      const optimizer::PassContext& context, optimizer::OptimizeReport& report) {
  JoinPlacing placing(relations, context.num_sites, policy);
  ia::Graph placed = placing.run();
  for (std::string& note : placing.take_notes()) {
    report.notes.push_back(std::move(note));
  }
  // Inputs that are read on other sites than their first placement have no readers left.
  return optimizer::rewrite::without_unread(std::move(placed), context.known);
}

}  // namespace tessera::placement::joins
