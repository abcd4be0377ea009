#include "placement/grid/choice.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/overload.h"
#include "ir/tra/keys.h"
#include "ir/tra/presence.h"

namespace tessera::placement {

namespace {

namespace assignment = optimizer::assignment;

/// The most alternatives of a variable. Tables of pairs have the square of that, and pairs of large
/// grids take longer.
constexpr int64_t kMostGrids = 256;
constexpr int64_t kMostGridsOfManySites = 64;
constexpr int64_t kManySites = 128;

double relation_bytes(const tra::RelationType& type) {
  return static_cast<double>(tra::num_tuples(type)) * tra::tuple_bytes(type);
}

/// Returns the node whose tuples a node passes on one by one, or cuts; nothing for one that makes
/// its own.
std::optional<tra::NodeId> passed_on_by(const tra::Op& op) {
  using Passed = std::optional<tra::NodeId>;
  const auto none = [] { return Passed(); };
  return std::visit(
      Overload{[&](const tra::Input&) { return none(); }, [&](const tra::Join&) { return none(); },
               [&](const tra::Aggregate&) { return none(); },
               [&](const tra::Rekey&) { return none(); },
               [](const tra::Filter& filter) { return Passed(filter.input); },
               [](const tra::Transform& transform) { return Passed(transform.input); },
               [&](const tra::Tile&) { return none(); }, [&](const tra::Concat&) { return none(); },
               [](const tra::Repartition& repartition) { return Passed(repartition.input); },
               [&](const tra::Scan&) { return none(); }},
      op);
}

/// Makes one class for each footprint.
assignment::Classes classes_of(const std::vector<Footprint>& footprints) {
  std::map<Footprint, int32_t> numbers;
  assignment::Classes classes;
  for (const Footprint& footprint : footprints) {
    const auto number = static_cast<int32_t>(numbers.size());
    classes.class_of.push_back(numbers.emplace(footprint, number).first->second);
  }
  classes.count = numbers.size();
  return classes;
}

/// Returns the footprint of every class.
std::vector<const Footprint*> by_class(const assignment::Classes& classes,
                                       const std::vector<Footprint>& footprints) {
  std::vector<const Footprint*> representatives(classes.count);
  for (size_t alternative = 0; alternative < footprints.size(); ++alternative) {
    representatives[static_cast<size_t>(classes.class_of[alternative])] = &footprints[alternative];
  }
  return representatives;
}

class ChoiceBuilder {
 public:
  ChoiceBuilder(const tra::Graph& graph, int64_t num_sites)
      : graph_(graph),
        num_sites_(num_sites),
        most_grids_(num_sites > kManySites ? kMostGridsOfManySites : kMostGrids),
        joins_(joins_that_read(graph)),
        num_readers_(graph.nodes.size(), 0),
        variable_of_(graph.nodes.size()) {
    for (const tra::Node& node : graph.nodes) {
      for (const tra::NodeId input : tra::inputs_of(node.op)) {
        ++num_readers_[input.index()];
        reader_[input.index()] = tra::NodeId(&node - graph.nodes.data());
      }
    }
    for (const tra::Output& output : graph.outputs) {
      ++num_readers_[output.node.index()];
    }
  }

  GridChoice run() && {
    for (size_t number = 0; number < graph_.nodes.size(); ++number) {
      const tra::NodeId node(static_cast<int64_t>(number));
      if (const auto* join = std::get_if<tra::Join>(&graph_.nodes[number].op)) {
        add_join(node, *join);
      } else if (std::holds_alternative<tra::Input>(graph_.nodes[number].op) &&
                 joins_[number].size() > 1) {
        add_input(node, joins_[number].front());
      }
    }
    return std::move(choice_);
  }

 private:
  const tra::RelationType& type_of(tra::NodeId id) const { return graph_.at(id).type; }

  /// Returns the aggregate that alone reads a join, or the join.
  tra::NodeId result_of(tra::NodeId join) const {
    if (num_readers_[join.index()] != 1 || reader_.count(join.index()) == 0) {
      return join;
    }
    const tra::NodeId reader = reader_.at(join.index());
    return std::holds_alternative<tra::Aggregate>(graph_.at(reader).op) ? reader : join;
  }

  void add_input(tra::NodeId node, const JoinOperand& first) {
    const auto& join = std::get<tra::Join>(graph_.at(first.join).op);
    const std::vector<int> dims = tra::matched_dims(join, first.number);
    GridVariable variable{node, node, {}, {}};
    for (const SiteGrid& grid : site_grids(join.key, num_sites_, most_grids_)) {
      Footprint footprint = fitted(footprint_of(grid, dims), type_of(node).key);
      if (std::find(variable.footprints.begin(), variable.footprints.end(), footprint) ==
          variable.footprints.end()) {
        variable.footprints.push_back(std::move(footprint));
      }
    }
    assignment::Domain domain;
    domain.costs.assign(variable.footprints.size(), 0);
    add(std::move(variable), std::move(domain));
  }

  void add_join(tra::NodeId node, const tra::Join& join) {
    GridVariable variable{node, result_of(node), site_grids(join.key, num_sites_, most_grids_), {}};
    std::vector<int> dims;
    for (const tra::KeyDim& dim : type_of(variable.result).key) {
      dims.push_back(tra::find_key_dim(join.key, tra::label_of(dim)));
    }
    assignment::Domain domain;
    for (const SiteGrid& grid : variable.grids) {
      variable.footprints.push_back(footprint_of(grid, dims));
      domain.costs.push_back(own_cost(join, variable, grid));
    }
    std::vector<std::vector<Footprint>> needed(join.inputs.size());
    for (size_t input = 0; input < join.inputs.size(); ++input) {
      const std::vector<int> operand_dims = tra::matched_dims(join, input);
      for (const SiteGrid& grid : variable.grids) {
        needed[input].push_back(footprint_of(grid, operand_dims));
      }
      domain.operands.push_back(classes_of(needed[input]));
    }
    const size_t consumer = add(std::move(variable), std::move(domain));
    for (size_t input = 0; input < join.inputs.size(); ++input) {
      add_dependency(consumer, join.inputs[input], input, needed[input]);
    }
  }

  size_t add(GridVariable variable, assignment::Domain domain) {
    const size_t number = choice_.variables.size();
    domain.out = classes_of(variable.footprints);
    variable_of_[variable.result.index()] = number;
    choice_.problem.domain_of.push_back(static_cast<int32_t>(number));
    choice_.problem.domains.push_back(std::move(domain));
    choice_.problem.dependencies_in.emplace_back();
    choice_.problem.dependencies_out.emplace_back();
    choice_.variables.push_back(std::move(variable));
    return number;
  }

  /// Returns the bytes moved for inputs that lie where they are needed, the bytes moved to be
  /// merged, and the excess of the busiest site.
  double own_cost(const tra::Join& join, const GridVariable& variable, const SiteGrid& grid) const {
    const tra::RelationType& made = type_of(variable.node);
    double call_bytes = tra::tuple_bytes(made);
    double cost = 0;
    for (size_t input = 0; input < join.inputs.size(); ++input) {
      const tra::RelationType& operand = type_of(join.inputs[input]);
      call_bytes += tra::tuple_bytes(operand);
      if (!maker_of(join.inputs[input])) {
        const Footprint needed = footprint_of(grid, tra::matched_dims(join, input));
        cost += relation_bytes(operand) * static_cast<double>(needed.num_sites() - 1);
      }
    }
    cost += relation_bytes(type_of(variable.result)) *
            static_cast<double>(variable.footprints.back().num_sites() - 1);
    const double share =
        static_cast<double>(tra::num_tuples(made)) / static_cast<double>(num_sites_);
    return cost + std::max(0.0, most_tuples(grid) - share) * call_bytes;
  }

  /// Returns the variable that determines the sites of a node's tuples.
  std::optional<size_t> maker_of(tra::NodeId node) const {
    std::optional<tra::NodeId> made = node;
    while (made && !variable_of_[made->index()]) {
      made = passed_on_by(graph_.at(*made).op);
    }
    return made ? variable_of_[made->index()] : std::nullopt;
  }

  void add_dependency(size_t consumer, tra::NodeId operand, size_t input,
                      const std::vector<Footprint>& needed) {
    const std::optional<size_t> producer = maker_of(operand);
    if (!producer) {
      return;
    }
    const GridVariable& maker = choice_.variables[*producer];
    const tra::RelationType& read = type_of(operand);
    const assignment::Classes& to = choice_.problem.domain(consumer).operands[input];
    assignment::PairCosts table{to.count, {}};
    for (const Footprint* from :
         by_class(choice_.problem.domain(*producer).out, maker.footprints)) {
      for (const Footprint* wanted : by_class(to, needed)) {
        table.costs.push_back(relation_bytes(read) *
                              moved_share(*from, type_of(maker.result).key, *wanted, read.key));
      }
    }
    choice_.problem.add({static_cast<int32_t>(*producer), static_cast<int32_t>(consumer),
                         static_cast<int32_t>(input),
                         static_cast<int32_t>(choice_.problem.tables.size())});
    choice_.problem.tables.push_back(std::move(table));
  }

  const tra::Graph& graph_;
  int64_t num_sites_;
  int64_t most_grids_;
  std::vector<std::vector<JoinOperand>> joins_;     // by node
  std::vector<int> num_readers_;                    // by node, with results
  std::map<size_t, tra::NodeId> reader_;            // by node, one of its readers
  std::vector<std::optional<size_t>> variable_of_;  // by node that the variable places
  GridChoice choice_;
};

}  // namespace

GridChoice grid_choice(const tra::Graph& graph, int64_t num_sites) {
  return ChoiceBuilder(graph, num_sites).run();
}

std::vector<std::vector<JoinOperand>> joins_that_read(const tra::Graph& graph) {
  std::vector<std::vector<JoinOperand>> joins(graph.nodes.size());
  for (size_t number = graph.nodes.size(); number-- > 0;) {
    const tra::Op& op = graph.nodes[number].op;
    if (const auto* join = std::get_if<tra::Join>(&op)) {
      for (size_t input = 0; input < join->inputs.size(); ++input) {
        joins[join->inputs[input].index()].push_back(
            {tra::NodeId(static_cast<int64_t>(number)), input});
      }
    } else if (const std::optional<tra::NodeId> passed = passed_on_by(op)) {
      std::vector<JoinOperand>& of_passed = joins[passed->index()];
      of_passed.insert(of_passed.end(), joins[number].begin(), joins[number].end());
    }
  }
  return joins;
}

}  // namespace tessera::placement
