#include "expr/verify.h"

#include <algorithm>
#include <bit>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"

namespace tessera::expr {

namespace {

using Problems = std::vector<std::string>;

/// Of one tensor: so that sums of a few sizes do not overflow.
constexpr int64_t kMostBytes = int64_t{1} << 60;

void append(Problems& problems, const std::string& where, const Problems& found) {
  for (const std::string& problem : found) {
    problems.push_back(where + ": " + problem);
  }
}

bool has_label(const std::vector<LabelDecl>& labels, LabelNumber label) {
  return label >= 0 && static_cast<size_t>(label) < labels.size();
}

/// The values that an index takes, from the smallest to the largest.
struct Range {
  __int128 smallest;
  __int128 largest;
};

Range range_of(const AffineIndex& index, const std::vector<LabelDecl>& labels) {
  constexpr __int128 kHuge = static_cast<__int128>(1) << 96;  // no sum of such terms overflows
  Range range{index.offset, index.offset};
  for (const AffineIndex::Term& term : index.terms) {
    const __int128 extent = labels[static_cast<size_t>(term.label)].extent;
    const __int128 last = std::clamp(term.coefficient * (extent - 1), -kHuge, kHuge);
    (last < 0 ? range.smallest : range.largest) += last;
  }
  return range;
}

class ScalarVerifier {
 public:
  ScalarVerifier(const Scalar& scalar, const Scope& scope, const FunctionRegistry& functions)
      : scalar_(scalar), scope_(scope), functions_(functions) {
    runs_never_ = std::any_of(scope.bound.begin(), scope.bound.end(), [&](LabelNumber label) {
      return has_label(scope.labels, label) && scope.labels[static_cast<size_t>(label)].extent == 0;
    });
  }

  Problems run() && {
    if (scalar_.nodes.empty()) {
      return {"an expression has no nodes"};
    }
    for (number_ = 0; number_ < static_cast<int32_t>(scalar_.nodes.size()); ++number_) {
      const Node& node = scalar_.nodes[static_cast<size_t>(number_)];
      std::visit([&](const auto& op) { check(op, node.dtype); }, node.op);
    }
    return std::move(problems_);
  }

 private:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    problems_.push_back(fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  bool is_earlier(int32_t argument) {
    if (argument >= 0 && argument < number_) {
      return true;
    }
    add("node {} of an expression reads node {}, which is not before it", number_, argument);
    return false;
  }

  bool is_bound(LabelNumber label) {
    if (!has_label(scope_.labels, label)) {
      add("there is no label number {}", label);
      return false;
    }
    if (std::find(scope_.bound.begin(), scope_.bound.end(), label) == scope_.bound.end()) {
      add("label {} is read but the statement does not run over it",
          scope_.labels[static_cast<size_t>(label)].name);
      return false;
    }
    return true;
  }

  void check(const Constant&, DType) {}

  void check(const IndexOf& index, DType dtype) {
    if (dtype != DType::i64) {
      add("index() is {}, not i64", name_of(dtype));
    }
    is_bound(index.label);
  }

  void check(const Parameter& parameter, DType dtype) {
    const size_t position = static_cast<size_t>(parameter.position);
    if (position >= scope_.parameters.size()) {
      add("there is no parameter number {}", parameter.position);
    } else if (scope_.parameters[position] != dtype) {
      add("parameter {} is {}, but is read as {}", position, name_of(scope_.parameters[position]),
          name_of(dtype));
    }
  }

  void check(const Cast& cast, DType) { is_earlier(cast.argument); }

  void check(const Access& access, DType dtype) {
    const size_t operand = static_cast<size_t>(access.operand);
    if (operand >= scope_.operands.size()) {
      add("there is no operand number {}", access.operand);
      return;
    }
    const ArrayType& type = scope_.operands[operand];
    if (type.dtype != dtype) {
      add("operand {} is {}, but is read as {}", operand, name_of(type.dtype), name_of(dtype));
    }
    if (type.shape.size() != access.index.size()) {
      add("operand {} has {} modes but is read with {}", operand, type.shape.size(),
          access.index.size());
      return;
    }
    for (size_t mode = 0; mode < access.index.size(); ++mode) {
      check_index(access.index[mode], operand, mode);
    }
  }

  void check_index(const AffineIndex& index, size_t operand, size_t mode) {
    const bool all_bound =
        std::all_of(index.terms.begin(), index.terms.end(),
                    [&](const AffineIndex::Term& term) { return is_bound(term.label); });
    if (!all_bound || runs_never_) {
      return;
    }
    const Range range = range_of(index, scope_.labels);
    const int64_t extent = scope_.operands[operand].shape[mode];
    if (range.smallest < 0 || range.largest >= extent) {
      add("mode {} of operand {} has {} elements but is read from {} to {}", mode, operand, extent,
          static_cast<double>(range.smallest), static_cast<double>(range.largest));
    }
  }

  void check(const Call& call, DType dtype) {
    std::vector<DType> dtypes;
    for (const int32_t argument : call.arguments) {
      if (!is_earlier(argument)) {
        return;
      }
      dtypes.push_back(scalar_.nodes[static_cast<size_t>(argument)].dtype);
    }
    const Function* function = functions_.find(call.function);
    if (function == nullptr) {
      add("there is no function {}", call.function);
    } else if (static_cast<size_t>(function->arity) != dtypes.size()) {
      add("{} takes {} arguments, not {}", call.function, function->arity, dtypes.size());
    } else {
      check_types(*function, dtypes, dtype);
    }
  }

  void check_types(const Function& function, const std::vector<DType>& dtypes, DType result) {
    try {
      const FunctionTypes types = function.bind(dtypes);
      for (size_t position = 0; position < dtypes.size(); ++position) {
        if (types.arguments[position] != dtypes[position]) {
          add("argument {} of {} is {}, not {}", position, function.name, name_of(dtypes[position]),
              name_of(types.arguments[position]));
        }
      }
      if (types.result != result) {
        add("{} yields {}, not {}", function.name, name_of(types.result), name_of(result));
      }
    } catch (const Error& error) {
      problems_.push_back(error.message());
    }
  }

  const Scalar& scalar_;
  const Scope& scope_;
  const FunctionRegistry& functions_;
  bool runs_never_ = false;
  int32_t number_ = 0;
  Problems problems_;
};

void check_dtype(Problems& problems, const std::string& what, const Scalar& scalar, DType dtype) {
  if (!scalar.nodes.empty() && scalar.dtype() != dtype) {
    problems.push_back(
        fmt::format("{} is {}, not {}", what, name_of(scalar.dtype()), name_of(dtype)));
  }
}

/// The leaf of a statement stands on a label that it reduces over.
void check_leaf(Problems& problems, const TileStatement& statement) {
  if (!statement.leaf) {
    return;
  }
  if (std::find(statement.over.begin(), statement.over.end(), statement.leaf->label) ==
      statement.over.end()) {
    problems.emplace_back("a leaf is of a label that is reduced over");
  }
  if (statement.leaf->length < 1 ||
      !std::has_single_bit(static_cast<uint64_t>(statement.leaf->length))) {
    problems.push_back(
        fmt::format("the length of a leaf is a power of two, not {}", statement.leaf->length));
  }
}

Problems verify_statement(const TileStatement& statement, const Scope& scope,
                          const FunctionRegistry& functions) {
  Problems problems = verify_labels(scope.labels, statement.out, statement.over);
  if (statement.bodies.empty()) {
    problems.emplace_back("it has no expression");
  }
  for (const Scalar& body : statement.bodies) {
    const Problems found = verify(body, scope, functions);
    problems.insert(problems.end(), found.begin(), found.end());
  }
  if (!statement.reduce) {
    if (!statement.over.empty()) {
      problems.emplace_back("labels are summed over by no aggregate");
    }
    if (statement.leaf) {
      problems.emplace_back("it has a leaf but no aggregate");
    }
    return problems;
  }
  check_leaf(problems, statement);
  append(problems, "aggregate " + statement.reduce->name, verify(*statement.reduce, functions));
  const std::vector<DType>& state = statement.reduce->state;
  if (state.size() != statement.bodies.size()) {
    problems.push_back(fmt::format("{} merges {} values, not {}", statement.reduce->name,
                                   state.size(), statement.bodies.size()));
    return problems;
  }
  for (size_t entry = 0; entry < state.size(); ++entry) {
    check_dtype(problems, fmt::format("expression {}", entry), statement.bodies[entry],
                state[entry]);
  }
  return problems;
}

/// The whole tensors that a statement makes; empty where its labels are broken.
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

std::vector<std::string> verify(const Scalar& scalar, const Scope& scope,
                                const FunctionRegistry& functions) {
  return ScalarVerifier(scalar, scope, functions).run();
}

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
    append(problems, fmt::format("combine {}", entry),
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
    append(problems, where, verify(aggregate.lift[entry], lift_scope, functions));
    check_dtype(problems, where, aggregate.lift[entry], state[entry]);
  }
  append(problems, "finalise", verify(aggregate.finalise, Scope{{}, {}, {}, state}, functions));
  return problems;
}

std::vector<std::string> verify(const ArrayType& type) {
  int64_t bytes = size_of(type.dtype);
  for (const int64_t extent : type.shape) {
    if (extent < 0) {
      return {"an extent is negative: " + to_string(type.shape)};
    }
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(extent, 1), &bytes) || bytes > kMostBytes) {
      return {"it has more than 2^60 bytes: " + to_string(type)};
    }
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
    scope.bound.insert(scope.bound.end(), statement.over.begin(), statement.over.end());
    append(problems, fmt::format("statement {}", number),
           verify_statement(statement, scope, functions));
    const std::vector<ArrayType> results = results_of(statement, program.labels);
    scope.operands.insert(scope.operands.end(), results.begin(), results.end());
  }
  return problems;
}

}  // namespace tessera::expr
