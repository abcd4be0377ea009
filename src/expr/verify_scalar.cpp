#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/overload.h"
#include "base/problems.h"
#include "expr/verify.h"

namespace tessera::expr {

namespace {

/// Returns whole ranges of the labels.
std::vector<LabelRange> whole_ranges(const std::vector<LabelDecl>& labels) {
  std::vector<LabelRange> ranges;
  for (const LabelDecl& label : labels) {
    ranges.push_back({0, label.extent});
  }
  return ranges;
}

class ScalarVerifier {
 public:
  ScalarVerifier(const Scalar& scalar, const Scope& scope, const FunctionRegistry& functions)
      : scalar_(scalar), scope_(scope), functions_(functions), ranges_(whole_ranges(scope.labels)) {
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

  void check_index(const Index& index, size_t operand, size_t mode) {
    bool is_sound = true;
    for_each_label(index, [&](LabelNumber label) { is_sound = is_bound(label) && is_sound; });
    std::visit(Overload{[](const PlainIndex&) {}, [](const FixedIndex&) {},
                        [&](const AffineIndex& affine) { is_sound = check(affine) && is_sound; },
                        [&](const GatheredIndex& gathered) { check(gathered); }},
               index);
    if (is_sound && !runs_never_) {
      check_reach(index, operand, mode);
    }
  }

  bool check(const AffineIndex& index) {
    if (index.divisor < 1) {
      add("an index is divided by {}", index.divisor);
      return false;
    }
    if (index.divisor != 1 && !std::holds_alternative<Pad>(index.outside)) {
      add("an index is divided by {}, but no pad says what lies between", index.divisor);
    }
    if (affine(index) != Index(index)) {
      add("an affine index is one label or one position");
    }
    return true;
  }

  void check(const GatheredIndex& index) {
    if (!is_earlier(index.node)) {
      return;
    }
    const DType dtype = scalar_.nodes[static_cast<size_t>(index.node)].dtype;
    if (!is_integer(dtype)) {
      add("an index is {}, not an integer", name_of(dtype));
    }
  }

  /// Checks that positions lie inside, or that a boundary defines them; positions that are data are
  /// checked when they are read.
  void check_reach(const Index& index, size_t operand, size_t mode) {
    const int64_t extent = scope_.operands[operand].shape[mode];
    const std::optional<Reach> reach = reach_of(index, ranges_);
    const bool is_inside = reach && reach->lowest >= 0 && reach->highest < extent;
    std::visit(Overload{[&](const Inside&) {
                          if (reach && !is_inside) {
                            add("mode {} of operand {} has {} elements but is read from {} to {}",
                                mode, operand, extent, static_cast<double>(reach->lowest),
                                static_cast<double>(reach->highest));
                          }
                        },
                        [](const Pad&) {}, [&](const Edge&) { check_not_empty(operand, mode); },
                        [&](const Reflect&) { check_not_empty(operand, mode); }},
               boundary_of(index));
  }

  void check_not_empty(size_t operand, size_t mode) {
    if (scope_.operands[operand].shape[mode] == 0) {
      add("mode {} of operand {} has no element to read in place of one outside", mode, operand);
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
    } else if (function->core && !scope_.is_whole) {
      add("{} is called element by element, and it is of whole arrays", call.function);
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
  std::vector<LabelRange> ranges_;
  bool runs_never_ = false;
  int32_t number_ = 0;
  Problems problems_;
};

}  // namespace

std::vector<std::string> verify(const Scalar& scalar, const Scope& scope,
                                const FunctionRegistry& functions) {
  return ScalarVerifier(scalar, scope, functions).run();
}

}  // namespace tessera::expr
