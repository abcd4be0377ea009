#include "ir/tra/verify.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/problems.h"
#include "expr/verify.h"
#include "ir/tra/closedness.h"
#include "ir/tra/infer.h"
#include "ir/tra/keys.h"
#include "ir/tra/stated_order.h"
#include "ir/tra/text_relation.h"

namespace tessera::tra {

namespace {

/// Checks that cuts rise from 0; only an empty mode has an empty piece.
Problems verify_dense(const DenseDim& dense) {
  const std::vector<int64_t>& cuts = dense.grid->cuts;
  const bool is_empty = cuts == std::vector<int64_t>{0, 0};
  const bool rises =
      cuts.size() >= 2 && cuts.front() == 0 &&
      std::adjacent_find(cuts.begin(), cuts.end(), std::greater_equal<>()) == cuts.end();
  return is_empty || rises ? Problems{}
                           : Problems{fmt::format("the cuts of {} do not rise from 0 to its extent",
                                                  dim_text(dense))};
}

Problems verify_windows(const WindowDim& dim) {
  const WindowGrid& grid = dim.grid;
  bool are_sound = grid.num_pieces() > 0;
  for (int64_t window = 0; window < grid.num_pieces(); ++window) {
    are_sound = are_sound && grid.begin(window) >= 0 && grid.length(window) > 0;
  }
  return are_sound ? Problems{}
                   : Problems{fmt::format("a window of {} is empty or begins before its mode",
                                          dim_text(dim))};
}

Problems verify_bare(const BareDim& bare) {
  return bare.extent >= 0 ? Problems{}
                          : Problems{fmt::format("key {} has extent {}", bare.label, bare.extent)};
}

Problems verify_dim(const KeyDim& dim) {
  return std::visit(Overload{[](const DenseDim& dense) { return verify_dense(dense); },
                             [](const WindowDim& windows) { return verify_windows(windows); },
                             [](const BareDim& bare) { return verify_bare(bare); }},
                    dim);
}

Problems verify_key(const std::vector<KeyDim>& key) {
  Problems problems;
  std::set<std::string> seen;
  for (const KeyDim& dim : key) {
    append_problems(problems, "", verify_dim(dim));
    if (!seen.insert(label_of(dim)).second) {
      problems.push_back(fmt::format("key label {} stands twice", label_of(dim)));
    }
    if (num_keys(dim) > kMostTuples) {
      problems.push_back(
          fmt::format("key label {} has more than {} keys", label_of(dim), kMostTuples));
    }
  }
  return problems;
}

/// Checks that listed keys are few, of the key space, and not all of it.
Problems verify_present(const RelationType& type) {
  const auto verify_listed = [&](const ListedKeys& listed) {
    Problems problems;
    for (const Key& key : listed.keys) {
      if (!is_key(key, type.key)) {
        problems.push_back(fmt::format("there is no key ({})", fmt::join(key, ",")));
      }
    }
    const int64_t all = num_keys(type.key);
    if (all > kMostListedKeys || static_cast<int64_t>(listed.keys.size()) == all) {
      problems.push_back(fmt::format("{} of {} keys are listed; a list is of some, of at most {}",
                                     listed.keys.size(), all, kMostListedKeys));
    }
    return problems;
  };
  return std::visit(Overload{[](const AllKeys&) { return Problems{}; }, verify_listed,
                             [](const UnknownKeys&) { return Problems{}; }},
                    type.present);
}

/// Checks that rows are counted, and whole in their tile: no key cuts the fields of a row.
Problems verify_rows(const RelationType& type) {
  if (!type.rows) {
    return {};
  }
  Problems problems;
  if (type.rows->expected < 0 || type.rows->expected > type.rows->at_most) {
    problems.push_back(fmt::format("{} rows are expected, but a tuple has at most {}",
                                   type.rows->expected, type.rows->at_most));
  }
  for (const Column& column : type.columns) {
    for (const Mode& mode : column.modes) {
      if (find_key_dim(type.key, mode.label) >= 0) {
        problems.push_back(fmt::format("mode {} of a row is cut", mode.label));
      }
    }
  }
  return problems;
}

/// A check of the facts that infer_type() relies on.
struct OperatorVerifier {
  const Relations& relations;
  const expr::FunctionRegistry& functions;

  Problems kernel(const expr::TileProgram& program, const std::vector<ArrayType>& inputs) const {
    Problems problems;
    append_problems(problems, "kernel", expr::verify(program, inputs, functions));
    return problems;
  }

  Problems operator()(const Input&) const { return {}; }

  Problems operator()(const Join& join) const {
    Problems problems = verify_key(join.key);
    append_problems(problems, "", kernel(join.kernel, kernel_inputs(join, relations)));
    return problems;
  }

  Problems operator()(const Aggregate& aggregate) const {
    Problems problems;
    append_problems(problems, "aggregate " + aggregate.monoid.name,
                    expr::verify(aggregate.monoid, functions));
    for (const DenseDim& larger : aggregate.coarser) {
      append_problems(problems, "aggregate", verify_dense(larger));
    }
    append_problems(problems, "aggregate", states(aggregate.monoid, aggregate.input));
    return problems;
  }

  Problems operator()(const Scan& scan) const {
    Problems problems;
    append_problems(problems, "scan " + scan.monoid.name, expr::verify(scan.monoid, functions));
    append_problems(problems, "scan", states(scan.monoid, scan.input));
    if (scan.walks()) {
      append_problems(problems, "", kernel(scan.kernel, step_inputs(scan, relations)));
    }
    return problems;
  }

  /// Checks that the arrays of an input are the states of a monoid.
  Problems states(const expr::Monoid& monoid, NodeId input) const {
    Problems problems;
    const RelationType& type = *relations(input);
    const std::vector<DType>& state = monoid.state;
    for (size_t column = 0; column < std::min(type.columns.size(), state.size()); ++column) {
      if (type.columns[column].dtype != state[column]) {
        problems.push_back(fmt::format("{} merges {}, but array {} is {}", monoid.name,
                                       name_of(state[column]), column,
                                       name_of(type.columns[column].dtype)));
      }
    }
    return problems;
  }

  /// Checks that keys fit 64 bits.
  Problems operator()(const Rekey& rekey) const {
    constexpr int64_t kLargest = int64_t{1} << 31;
    Problems problems;
    for (const KeyExpression& expression : rekey.key) {
      const auto is_large = [](int64_t number) { return number > kLargest || number < -kLargest; };
      if (is_large(expression.offset) ||
          std::any_of(expression.terms.begin(), expression.terms.end(),
                      [&](const auto& term) { return is_large(term.coefficient); })) {
        problems.push_back(fmt::format("key {} is too large", expression.label));
      }
    }
    return problems;
  }

  Problems operator()(const Filter& filter) const {
    expr::Scope scope;
    for (const KeyDim& dim : relations(filter.input)->key) {
      scope.bound.push_back(static_cast<expr::LabelNumber>(scope.labels.size()));
      scope.labels.push_back({label_of(dim), num_keys(dim)});
    }
    Problems problems;
    append_problems(problems, "predicate", expr::verify(filter.predicate, scope, functions));
    return problems;
  }

  Problems operator()(const Transform& transform) const {
    return kernel(transform.kernel, kernel_inputs({transform.input}, relations));
  }
  Problems operator()(const Tile& tile) const { return verify_dim(tile.dim); }
  Problems operator()(const Concat&) const { return {}; }
  Problems operator()(const Repartition& repartition) const { return verify_key(repartition.key); }
};

Problems verify_inferred(const Op& op, const RelationType& type, const Relations& relations) {
  try {
    const RelationType inferred = infer_type(op, relations);
    if (inferred == type) {
      return {};
    }
    return {fmt::format("its type is given as {} but follows as {}", type_text(type),
                        type_text(inferred))};
  } catch (const Error& error) {
    return {error.message()};
  }
}

Problems verify_closed(const Op& op, const RelationType& type, const Relations& relations) {
  const auto* rekey = std::get_if<Rekey>(&op);
  const std::optional<std::string> problem =
      rekey == nullptr ? std::nullopt
                       : problem_of_rekey(*rekey, *relations(rekey->input), type.key);
  return problem ? Problems{*problem} : Problems{};
}

}  // namespace

std::vector<std::string> verify_type(const RelationType& type) {
  Problems problems = verify_key(type.key);
  append_problems(problems, "", verify_present(type));
  append_problems(problems, "", verify_rows(type));
  for (const ArrayType& array : arrays_of(type)) {
    append_problems(problems, "", expr::verify(array));
  }
  for (const Column& column : type.columns) {
    for (const Mode& mode : column.modes) {
      const int dim = find_key_dim(type.key, mode.label);
      const ModeGrid* grid = dim < 0 ? nullptr : grid_of(type.key[static_cast<size_t>(dim)]);
      if (grid != nullptr && grid->extent() != mode.extent) {
        problems.push_back(fmt::format("mode {} has extent {} but its key cuts {}", mode.label,
                                       mode.extent, grid->extent()));
      }
      const WindowGrid* windows =
          dim < 0 ? nullptr : windows_of(type.key[static_cast<size_t>(dim)]);
      if (windows != nullptr &&
          std::ranges::any_of(windows->ends, [&](int64_t end) { return end > mode.extent; })) {
        problems.push_back(fmt::format("mode {} has extent {}, but a window on it ends later",
                                       mode.label, mode.extent));
      }
    }
  }
  return problems;
}

std::vector<std::string> verify_inputs(
    const std::vector<std::pair<std::string, const RelationType*>>& inputs) {
  Problems problems;
  std::map<std::string, std::vector<ArrayType>> known;
  for (const auto& [name, type] : inputs) {
    const std::vector<ArrayType> arrays = arrays_of(*type);
    if (arrays.size() != 1 && !type->rows) {
      problems.push_back(fmt::format("input {} has {} arrays, not one", name, arrays.size()));
    }
    const auto [first, fresh] = known.emplace(name, arrays);
    if (!fresh && first->second != arrays) {
      problems.push_back(fmt::format("input {} is read as two different tensors", name));
    }
  }
  return problems;
}

std::vector<std::string> verify_operator(const Op& op, const Relations& relations,
                                         const expr::FunctionRegistry& functions) {
  return std::visit(OperatorVerifier{relations, functions}, op);
}

std::vector<std::string> verify_relation(const Op& op, const RelationType& type,
                                         const Relations& relations,
                                         const expr::FunctionRegistry& functions) {
  if (std::holds_alternative<Input>(op)) {
    return type.present == KeySet(UnknownKeys{}) ? Problems{"an input says which tuples it has"}
                                                 : verify_type(type);
  }
  Problems problems = verify_operator(op, relations, functions);
  if (problems.empty()) {
    problems = verify_inferred(op, type, relations);
  }
  if (problems.empty()) {
    problems = verify_closed(op, type, relations);
  }
  return problems.empty() ? verify_type(type) : problems;
}

std::vector<std::string> verify_results(const std::vector<Output>& outputs, const Makers& makers,
                                        const Relations& relations) {
  Problems problems;
  for (const Output& output : outputs) {
    if (const std::optional<std::string> problem = problem_of_result(output, makers, relations)) {
      problems.push_back(*problem);
    }
  }
  return problems;
}

std::vector<std::string> verify_absence(const Op& op, const Makers& makers,
                                        const Relations& relations,
                                        const expr::FunctionRegistry& functions) {
  const auto* aggregate = std::get_if<Aggregate>(&op);
  return aggregate == nullptr ? Problems{}
                              : problems_of_absence(*aggregate, makers, relations, functions);
}

std::vector<std::string> verify_order(const Graph& graph,
                                      const expr::AggregateRegistry& aggregates) {
  Problems problems;
  for (size_t number = 0; graph.is_reproducible && number < graph.nodes.size(); ++number) {
    const Node& node = graph.nodes[number];
    append_problems(problems, fmt::format("node %{} ({})", number, node.origin.statement),
                    problems_of_order(node.op, node.type, aggregates));
  }
  return problems;
}

std::vector<std::string> verify_in_order(const std::vector<NodeInOrder>& nodes,
                                         const std::vector<Output>& outputs,
                                         const std::function<Problems(NodeId)>& verify_node) {
  Problems problems;
  std::vector<bool> is_sound;  // a reader of a broken node cannot be judged
  for (size_t number = 0; number < nodes.size(); ++number) {
    const auto& [inputs, origin] = nodes[number];
    const bool in_order = std::all_of(inputs.begin(), inputs.end(), [&](NodeId input) {
      return input.valid() && input.index() < number;
    });
    const bool is_judged = in_order && std::all_of(inputs.begin(), inputs.end(), [&](NodeId input) {
                             return is_sound[input.index()];
                           });
    const Problems found = !in_order    ? Problems{"it reads a node that is not before it"}
                           : !is_judged ? Problems{}
                                        : verify_node(NodeId(static_cast<int64_t>(number)));
    append_problems(problems, fmt::format("node %{} ({})", number, origin->statement), found);
    is_sound.push_back(is_judged && found.empty());
  }
  append_problems(
      problems, "",
      ir::problems_of_outputs(named_outputs(outputs), static_cast<int64_t>(nodes.size()), "node"));
  return problems;
}

std::vector<std::string> verify(const Graph& graph, const expr::FunctionRegistry& functions) {
  std::vector<NodeInOrder> nodes;
  std::vector<std::pair<std::string, const RelationType*>> inputs;
  for (const Node& node : graph.nodes) {
    nodes.push_back({inputs_of(node.op), &node.origin});
    if (const auto* input = std::get_if<Input>(&node.op)) {
      inputs.emplace_back(input->name, &node.type);
    }
  }
  const Relations relations = relations_of(graph);
  const Makers makers = [&](NodeId id) { return Maker{id, &graph.at(id).op}; };
  Problems problems = verify_in_order(nodes, graph.outputs, [&](NodeId id) {
    Problems found = verify_relation(graph.at(id).op, graph.at(id).type, relations, functions);
    return found.empty() ? verify_absence(graph.at(id).op, makers, relations, functions) : found;
  });
  append_problems(problems, "", verify_inputs(inputs));
  if (problems.empty()) {
    problems = verify_results(graph.outputs, makers, relations);
  }
  return problems;
}

}  // namespace tessera::tra
