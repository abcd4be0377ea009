#include "expr/verify.h"

#include <algorithm>
#include <bit>
#include <set>

#include <fmt/format.h>

#include "base/overload.h"
#include "base/problems.h"

namespace tessera::expr {

namespace {

void check_dtype(Problems& problems, const std::string& what, const Scalar& scalar, DType dtype) {
  if (!scalar.nodes.empty() && scalar.dtype() != dtype) {
    problems.push_back(
        fmt::format("{} is {}, not {}", what, name_of(scalar.dtype()), name_of(dtype)));
  }
}

/// Checks that the leaf of a reduction is on a label that it reduces over.
void check_leaf(Problems& problems, const Reduce& reduce) {
  if (!reduce.leaf) {
    return;
  }
  if (std::find(reduce.over.begin(), reduce.over.end(), reduce.leaf->label) == reduce.over.end()) {
    problems.emplace_back("a leaf is of a label that is reduced over");
  }
  if (reduce.leaf->length < 1 || !std::has_single_bit(static_cast<uint64_t>(reduce.leaf->length))) {
    problems.push_back(
        fmt::format("the length of a leaf is a power of two, not {}", reduce.leaf->length));
  }
}

/// Checks that the bodies are one per entry of the state, and have its dtypes.
void check_states(Problems& problems, const TileStatement& statement, const Monoid& monoid,
                  const FunctionRegistry& functions) {
  append_problems(problems, "aggregate " + monoid.name, verify(monoid, functions));
  const std::vector<DType>& state = monoid.state;
  if (state.size() != statement.bodies.size()) {
    problems.push_back(fmt::format("{} merges {} values, not {}", monoid.name, state.size(),
                                   statement.bodies.size()));
    return;
  }
  for (size_t entry = 0; entry < state.size(); ++entry) {
    check_dtype(problems, fmt::format("expression {}", entry), statement.bodies[entry],
                state[entry]);
  }
}

/// Checks an argument of a function of whole arrays: an operand that is read at labels alone, with
/// the core labels that the function requires.
void check_argument(Problems& problems, const Whole& whole, const Node& node,
                    const std::vector<int>& wanted, size_t number) {
  const auto* const access = std::get_if<Access>(&node.op);
  if (access == nullptr ||
      !std::all_of(access->index.begin(), access->index.end(), is_plain_or_fixed)) {
    problems.push_back(
        fmt::format("argument {} of a whole function is no operand read at labels", number + 1));
    return;
  }
  for (int core = 0; core < static_cast<int>(whole.core.size()); ++core) {
    const bool is_wanted = std::find(wanted.begin(), wanted.end(), core) != wanted.end();
    const LabelNumber label = whole.core[static_cast<size_t>(core)];
    const auto reads = std::count_if(access->index.begin(), access->index.end(),
                                     [&](const Index& index) { return mentions(index, label); });
    if (reads != (is_wanted ? 1 : 0)) {
      problems.push_back(fmt::format("argument {} of a whole function reads core label {} {} times",
                                     number + 1, core + 1, reads));
    }
  }
}

/// Checks that the result has the core labels that the function keeps, and that `over` are the
/// others.
void check_core(Problems& problems, const TileStatement& statement, const Whole& whole,
                const CoreLabels& core, const std::vector<LabelDecl>& labels) {
  std::vector<LabelNumber> over = whole.core;
  for (const int kept : core.result) {
    const LabelNumber label = whole.core[static_cast<size_t>(kept)];
    std::erase(over, label);
    if (std::find(statement.out.begin(), statement.out.end(), label) == statement.out.end()) {
      problems.emplace_back("a core label that the function keeps is none of the result");
    }
  }
  if (over != whole.over) {
    problems.emplace_back("the core labels that the result lacks are others than it is said");
  }
  const auto extent = [&](LabelNumber label) { return labels[static_cast<size_t>(label)].extent; };
  if (core.is_square && extent(whole.core.front()) != extent(whole.core.back())) {
    problems.emplace_back("the core labels of a square matrix differ in extent");
  }
}

/// Checks that the body is a call of a function of whole arrays whose arguments are operands.
void check_whole(Problems& problems, const TileStatement& statement, const Whole& whole,
                 const std::vector<LabelDecl>& labels, const FunctionRegistry& functions) {
  const Scalar* const body = statement.bodies.size() == 1 ? &statement.bodies[0] : nullptr;
  const auto* const call =
      body == nullptr || body->nodes.empty() ? nullptr : std::get_if<Call>(&body->nodes.back().op);
  const Function* const function = call == nullptr ? nullptr : functions.find(call->function);
  if (function == nullptr || !function->core) {
    problems.emplace_back("it is no call of a function of whole arrays");
    return;
  }
  const CoreLabels& core = *function->core;
  if (whole.core.size() != static_cast<size_t>(core.count) ||
      call->arguments.size() != core.arguments.size()) {
    problems.push_back(fmt::format("{} has {} core labels and {} arguments", function->name,
                                   core.count, core.arguments.size()));
    return;
  }
  check_core(problems, statement, whole, core, labels);
  for (size_t number = 0; number < call->arguments.size(); ++number) {
    check_argument(problems, whole, body->nodes[static_cast<size_t>(call->arguments[number])],
                   core.arguments[number], number);
  }
}

/// Returns the whole tensors that a statement makes; empty if its labels are broken.
std::vector<ArrayType> results_of(const TileStatement& statement,
                                  const std::vector<LabelDecl>& labels) {
  Shape shape;
  for (const LabelNumber label : statement.out) {
    shape.push_back(has_label(labels, label) ? labels[static_cast<size_t>(label)].extent : 0);
  }
  std::vector<ArrayType> results;
  for (const Scalar& body : statement.bodies) {
    results.push_back({body.nodes.empty() ? DType::f32 : body.dtype(), shape});
  }
  return results;
}

}  // namespace

std::vector<std::string> verify(const Monoid& monoid, const FunctionRegistry& functions) {
  const size_t num_states = monoid.state.size();
  if (num_states == 0 || monoid.combine.size() != num_states ||
      monoid.identity.size() != num_states) {
    return {fmt::format("its state has {} entries, but there are {} combines and {} identities",
                        num_states, monoid.combine.size(), monoid.identity.size())};
  }
  Scope scope;
  scope.parameters = monoid.state;
  scope.parameters.insert(scope.parameters.end(), monoid.state.begin(), monoid.state.end());
  Problems problems;
  for (size_t entry = 0; entry < num_states; ++entry) {
    append_problems(problems, fmt::format("combine {}", entry),
                    verify(monoid.combine[entry], scope, functions));
    check_dtype(problems, fmt::format("combine {}", entry), monoid.combine[entry],
                monoid.state[entry]);
  }
  return problems;
}

std::vector<std::string> verify(const BoundAggregate& aggregate, DType element,
                                const FunctionRegistry& functions) {
  const std::vector<DType>& state = aggregate.monoid.state;
  Problems problems = verify(aggregate.monoid, functions);
  if (aggregate.lift.size() != state.size()) {
    problems.push_back(fmt::format("its state has {} entries but its lift {}", state.size(),
                                   aggregate.lift.size()));
    return problems;
  }
  const Scope lift_scope{{}, {}, {}, {element, DType::i64}};
  for (size_t entry = 0; entry < state.size(); ++entry) {
    const std::string where = fmt::format("lift {}", entry);
    append_problems(problems, where, verify(aggregate.lift[entry], lift_scope, functions));
    check_dtype(problems, where, aggregate.lift[entry], state[entry]);
  }
  append_problems(problems, "finalise",
                  verify(aggregate.finalise, Scope{{}, {}, {}, state}, functions));
  return problems;
}

std::vector<std::string> verify(const ArrayType& type) {
  if (std::any_of(type.shape.begin(), type.shape.end(),
                  [](int64_t extent) { return extent < 0; })) {
    return {"an extent is negative: " + to_string(type.shape)};
  }
  if (!is_countable(type)) {
    return {"it has more than 2^60 bytes: " + to_string(type)};
  }
  return {};
}

std::vector<std::string> verify(const std::vector<LabelDecl>& labels) {
  Problems problems;
  std::set<std::string> seen;
  for (const LabelDecl& label : labels) {
    if (!seen.insert(label.name).second) {
      problems.push_back(fmt::format("label {} stands twice", label.name));
    }
    if (label.extent < 0) {
      problems.push_back(fmt::format("label {} has extent {}", label.name, label.extent));
    }
  }
  return problems;
}

std::vector<std::string> verify_labels(const std::vector<LabelDecl>& labels,
                                       const std::vector<LabelNumber>& out,
                                       const std::vector<LabelNumber>& over) {
  Problems problems;
  std::set<LabelNumber> seen;
  for (const std::vector<LabelNumber>& list : {out, over}) {
    for (const LabelNumber label : list) {
      if (!has_label(labels, label)) {
        problems.push_back(fmt::format("there is no label number {}", label));
      } else if (!seen.insert(label).second) {
        problems.push_back(fmt::format("label {} stands twice in the result or the aggregate",
                                       labels[static_cast<size_t>(label)].name));
      }
    }
  }
  return problems;
}

std::vector<std::string> verify_statement(const TileStatement& statement, const Scope& scope,
                                          const FunctionRegistry& functions) {
  Problems problems = verify_labels(scope.labels, statement.out, reduced_labels(statement));
  if (statement.bodies.empty()) {
    problems.emplace_back("it has no expression");
  }
  Scope own = scope;
  own.is_whole = whole_of(statement) != nullptr;
  for (const Scalar& body : statement.bodies) {
    const Problems found = verify(body, own, functions);
    problems.insert(problems.end(), found.begin(), found.end());
  }
  std::visit(Overload{[](const Map&) {},
                      [&](const Reduce& reduce) {
                        check_leaf(problems, reduce);
                        check_states(problems, statement, reduce.monoid, functions);
                      },
                      [&](const Scan& scan) {
                        if (std::find(statement.out.begin(), statement.out.end(), scan.along) ==
                            statement.out.end()) {
                          problems.emplace_back("a scan is along a label of the result");
                        }
                        check_states(problems, statement, scan.monoid, functions);
                      },
                      [&](const Whole& whole) {
                        const Problems found = verify_labels(scope.labels, whole.core, {});
                        problems.insert(problems.end(), found.begin(), found.end());
                        if (problems.empty()) {
                          check_whole(problems, statement, whole, scope.labels, functions);
                        }
                      }},
             statement.what);
  return problems;
}

std::vector<std::string> verify(const TileProgram& program, const std::vector<ArrayType>& inputs,
                                const FunctionRegistry& functions) {
  Problems problems = verify(program.labels);
  if (program.num_inputs != static_cast<int32_t>(inputs.size())) {
    problems.push_back(
        fmt::format("the program reads {} arrays but gets {}", program.num_inputs, inputs.size()));
  }
  if (program.statements.empty()) {
    problems.emplace_back("the program has no statement");
  }
  Scope scope{program.labels, {}, inputs, {}};
  for (size_t number = 0; number < program.statements.size(); ++number) {
    const TileStatement& statement = program.statements[number];
    scope.bound = statement.out;
    const std::vector<LabelNumber>& over = reduced_labels(statement);
    scope.bound.insert(scope.bound.end(), over.begin(), over.end());
    append_problems(problems, fmt::format("statement {}", number),
                    verify_statement(statement, scope, functions));
    const std::vector<ArrayType> results = results_of(statement, program.labels);
    scope.operands.insert(scope.operands.end(), results.begin(), results.end());
  }
  return problems;
}

}  // namespace tessera::expr
