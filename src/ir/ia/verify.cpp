#include "ir/ia/verify.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/error.h"
#include "ir/tra/infer.h"
#include "ir/tra/text_relation.h"
#include "ir/tra/verify.h"

namespace tessera::ia {

namespace {

using Problems = std::vector<std::string>;

void append(Problems& problems, const std::string& where, const Problems& found) {
  for (const std::string& problem : found) {
    problems.push_back(where + problem);
  }
}

/// The operator without its placement, over a tra graph of the inputs alone (%0, %1, ...); nothing
/// where the algebra of relations has no such operator.
struct ToRelations {
  std::optional<tra::Op> operator()(const Source&) const { return std::nullopt; }
  std::optional<tra::Op> operator()(const Bcast&) const { return std::nullopt; }
  std::optional<tra::Op> operator()(const Shuf&) const { return std::nullopt; }
  std::optional<tra::Op> operator()(const LocalJoin& join) const {
    tra::Join result{{}, join.match, join.key, join.kernel};
    for (size_t input = 0; input < join.inputs.size(); ++input) {
      result.inputs.emplace_back(static_cast<int64_t>(input));
    }
    return result;
  }
  std::optional<tra::Op> operator()(const LocalAggregate& aggregate) const {
    const auto* merge = std::get_if<Merge>(&aggregate.how);
    return merge == nullptr ? std::nullopt
                            : std::optional<tra::Op>(
                                  tra::Aggregate{kFirst, merge->keep, merge->monoid, merge->order});
  }
  std::optional<tra::Op> operator()(const LocalFilter& filter) const {
    return tra::Filter{kFirst, filter.predicate};
  }
  std::optional<tra::Op> operator()(const LocalMap& map) const {
    if (const auto* keys = std::get_if<MapKeys>(&map.how)) {
      return tra::Rekey{kFirst, keys->key};
    }
    const auto* arrays = std::get_if<MapArrays>(&map.how);
    return arrays == nullptr ? std::nullopt
                             : std::optional<tra::Op>(tra::Transform{kFirst, arrays->kernel});
  }

  static constexpr tra::NodeId kFirst{0};
};

/// The grid that cuts a label: of the key, or one piece where the key does not count it.
ModeGrid grid_of(const tra::RelationType& type, const std::string& label, int64_t extent) {
  const int dim = tra::find_key_dim(type, label);
  const auto* dense =
      dim < 0 ? nullptr : std::get_if<tra::DenseDim>(&type.key[static_cast<size_t>(dim)]);
  return dense == nullptr ? uncut(extent) : dense->grid;
}

/// A cut or paste: `fine` and `coarse` are the same tensors, every cut of the one a cut of the
/// other.
Problems verify_boxes(const tra::RelationType& fine, const tra::RelationType& coarse) {
  if (fine.columns != coarse.columns) {
    return {"cutting and pasting leave the tensors as they are, but its arrays are others"};
  }
  Problems problems;
  std::set<std::string> labels;
  for (const tra::Column& column : fine.columns) {
    for (const tra::Mode& mode : column.modes) {
      labels.insert(mode.label);
      if (!refines(grid_of(fine, mode.label, mode.extent),
                   grid_of(coarse, mode.label, mode.extent))) {
        problems.push_back(
            fmt::format("the larger tiles have cuts of {} that the smaller lack", mode.label));
      }
    }
  }
  for (const tra::RelationType* type : {&fine, &coarse}) {
    const tra::RelationType& other = type == &fine ? coarse : fine;
    for (const tra::KeyDim& dim : type->key) {
      const int at = tra::find_key_dim(other, tra::label_of(dim));
      const bool same = at >= 0 && other.key[static_cast<size_t>(at)] == dim;
      if (labels.count(tra::label_of(dim)) == 0 && !same) {
        problems.push_back(fmt::format("no mode is cut by the key {}", tra::label_of(dim)));
      }
    }
  }
  return problems;
}

class NodeVerifier {
 public:
  NodeVerifier(const Graph& graph, const Node& node, const expr::FunctionRegistry& functions)
      : graph_(graph), node_(node), functions_(functions) {
    for (const NodeId input : inputs_of(node.op)) {
      inputs_.push_back(&graph.at(input));
    }
  }

  Problems run() && {
    append(problems_, "", tra::verify_type(node_.type));
    check_labels("its placement", node_.placement, node_.type);
    if (const std::optional<tra::Op> op = std::visit(ToRelations{}, node_.op)) {
      check_relation(*op);
    }
    std::visit([&](const auto& op) { check(op); }, node_.op);
    return std::move(problems_);
  }

 private:
  void check_labels(const std::string& what, const Placement& placement,
                    const tra::RelationType& type) {
    const auto* by = std::get_if<ByDims>(&placement);
    for (const std::string& label : by == nullptr ? std::vector<std::string>{} : by->dims) {
      if (tra::find_key_dim(type, label) < 0) {
        problems_.push_back(fmt::format("{} is by {}, which is no key dimension", what, label));
      }
    }
  }

  /// The type as the algebra of relations infers it.
  void check_relation(const tra::Op& op) {
    tra::Graph relations;
    for (const Node* input : inputs_) {
      relations.nodes.push_back({tra::Input{}, input->type, {}});
    }
    const Problems found = tra::verify_operator(relations, op, functions_);
    append(problems_, "", found);
    if (!found.empty()) {
      return;
    }
    try {
      check_type(tra::infer_type(relations, op));
    } catch (const Error& error) {
      problems_.push_back(error.message());
    }
  }

  void check_type(const tra::RelationType& inferred) {
    if (inferred != node_.type) {
      problems_.push_back(fmt::format("its type is given as {} but follows as {}",
                                      tra::type_text(node_.type), tra::type_text(inferred)));
    }
  }

  void check_placement(const Placement& expected) {
    if (node_.placement != expected) {
      problems_.emplace_back("its placement is not the one that it makes");
    }
  }

  void check(const Source&) {}

  void check(const Bcast&) {
    check_type(inputs_[0]->type);
    check_placement(Everywhere{});
  }

  void check(const Shuf& shuf) {
    check_type(inputs_[0]->type);
    check_placement(ByDims{shuf.dims});
  }

  /// Of the inputs that are not everywhere, all lie by the same labels of the join.
  void check(const LocalJoin& join) {
    if (graph_.num_sites <= 1 || join.match.size() != inputs_.size()) {
      return;
    }
    std::optional<std::vector<std::string>> shared;
    for (size_t input = 0; input < inputs_.size(); ++input) {
      const auto* by = std::get_if<ByDims>(&inputs_[input]->placement);
      if (by == nullptr) {
        continue;
      }
      std::vector<std::string> labels = joined(*by, inputs_[input]->type, join.match[input]);
      if (shared && *shared != labels) {
        problems_.push_back(
            fmt::format("input {} lies by {} and another by {}, so tuples to join may be apart",
                        input, tra::labels_text(labels), tra::labels_text(*shared)));
      }
      shared = std::move(labels);
    }
  }

  /// A placement by the labels that a join gives the key dimensions.
  static std::vector<std::string> joined(const ByDims& by, const tra::RelationType& type,
                                         const std::vector<std::string>& match) {
    std::vector<std::string> labels;
    for (const std::string& label : by.dims) {
      const auto dim = static_cast<size_t>(tra::find_key_dim(type, label));
      labels.push_back(dim < match.size() ? match[dim] : label);
    }
    return labels;
  }

  void check(const LocalAggregate& aggregate) {
    if (const auto* paste = std::get_if<Paste>(&aggregate.how)) {
      check_key(paste->key);
      append(problems_, "", verify_boxes(inputs_[0]->type, node_.type));
      return;
    }
    const std::vector<std::string>& keep = std::get<Merge>(aggregate.how).keep;
    const auto* by = std::get_if<ByDims>(&inputs_[0]->placement);
    const bool apart =
        by != nullptr && std::any_of(by->dims.begin(), by->dims.end(), [&](const auto& label) {
          return std::find(keep.begin(), keep.end(), label) == keep.end();
        });
    if (graph_.num_sites > 1 && apart) {
      problems_.push_back(fmt::format("its input lies by {}, so tuples to merge may be apart",
                                      tra::labels_text(by->dims)));
    }
  }

  void check(const LocalFilter&) {}

  void check(const LocalMap& map) {
    if (const auto* cut = std::get_if<Cut>(&map.how)) {
      check_key(cut->key);
      append(problems_, "", verify_boxes(node_.type, inputs_[0]->type));
    }
  }

  void check_key(const std::vector<tra::KeyDim>& key) {
    if (key != node_.type.key) {
      problems_.push_back(
          fmt::format("it makes the key {}, not that of its type", tra::key_text(key)));
    }
  }

  const Graph& graph_;
  const Node& node_;
  const expr::FunctionRegistry& functions_;
  std::vector<const Node*> inputs_;
  Problems problems_;
};

}  // namespace

std::vector<std::string> verify(const Graph& graph, const expr::FunctionRegistry& functions) {
  Problems problems;
  if (graph.num_sites < 1) {
    problems.push_back(fmt::format("there are {} sites", graph.num_sites));
  }
  std::vector<bool> is_sound;  // a reader of a broken node cannot be judged
  for (size_t number = 0; number < graph.nodes.size(); ++number) {
    const Node& node = graph.nodes[number];
    const std::vector<NodeId> inputs = inputs_of(node.op);
    const bool in_order = std::all_of(inputs.begin(), inputs.end(), [&](NodeId input) {
      return input.valid() && input.index() < number;
    });
    const bool is_judged = in_order && std::all_of(inputs.begin(), inputs.end(), [&](NodeId input) {
                             return is_sound[input.index()];
                           });
    const Problems found = !in_order    ? Problems{"it reads a node that is not before it"}
                           : !is_judged ? Problems{}
                                        : NodeVerifier(graph, node, functions).run();
    append(problems, fmt::format("node %{} ({}): ", number, node.origin.statement), found);
    is_sound.push_back(is_judged && found.empty());
  }
  std::vector<std::pair<std::string, const tra::RelationType*>> sources;
  for (const Node& node : graph.nodes) {
    if (const auto* source = std::get_if<Source>(&node.op)) {
      sources.emplace_back(source->name, &node.type);
    }
  }
  append(problems, "", tra::verify_inputs(sources));
  append(problems, "",
         ir::problems_of_outputs(named_outputs(graph), static_cast<int64_t>(graph.nodes.size()),
                                 "node"));
  return problems;
}

}  // namespace tessera::ia
