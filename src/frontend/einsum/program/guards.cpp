#include "frontend/einsum/program/guards.h"

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <set>
#include <utility>

#include "expr/function_ids.h"
#include "frontend/einsum/expression/risky_calls.h"
#include "frontend/einsum/program/language_calls.h"
#include "frontend/einsum/program/node_facts.h"

namespace tessera::frontend {

namespace {

using Labels = std::set<LabelIndex>;
using OptionalNode = std::optional<int32_t>;

constexpr const char* kAny = "any";

/// An argument of a function of whole arrays for which it may fail.
struct RiskyArray {
  const char* function;
  size_t argument;
  bool is_matrix;  // the identity matrix is harmless, else a row of ones
};

constexpr std::array kRiskyArrays = {
    RiskyArray{"inverse", 0, true},
    RiskyArray{"solve", 0, true},
    RiskyArray{"cholesky", 0, true},
    RiskyArray{"random_categorical", 1, false},
    RiskyArray{"random_dirichlet", 1, false},
    RiskyArray{"random_multinomial", 1, false},
    RiskyArray{"random_multinomial", 2, false},
};

bool is_risky_array(const std::string& function) {
  return std::any_of(kRiskyArrays.begin(), kRiskyArrays.end(),
                     [&](const RiskyArray& risky) { return function == risky.function; });
}

const ResolvedCall* call_at(const ResolvedNode& node, const char* function) {
  const auto* call = std::get_if<ResolvedCall>(&node.of);
  return call != nullptr && call->function == function ? call : nullptr;
}

bool is_unbounded(const ModeIndex& mode) {
  const auto* gather = std::get_if<GatherIndex>(&mode);
  return gather != nullptr && std::holds_alternative<expr::Inside>(gather->outside);
}

Labels without(Labels labels, const std::vector<LabelIndex>& others) {
  for (const LabelIndex label : others) {
    labels.erase(label);
  }
  return labels;
}

class GuardMaker {
 public:
  explicit GuardMaker(ResolvedExpression& statement)
      : statement_(statement), free_(statement), same_(statement) {}

  void run() {
    note_risks();
    levels_.emplace_back();
    branches_.push_back({statement_.root, {{&levels_.back()}, {statement_.condition}}});
    // A level is walked before the levels inside it, so that they know which operations it
    // computes.
    while (!branches_.empty()) {
      const Branch branch = std::move(branches_.front());
      branches_.pop_front();
      walk(branch.root, branch.around);
    }
  }

 private:
  /// The operations under one condition that may fail, by number in same_.
  using Level = std::set<std::string>;

  /// The levels around a node, outermost first, each with its guard in labels that the node has.
  struct Around {
    std::vector<Level*> levels;
    std::vector<OptionalNode> guards;
  };
  struct Branch {
    int32_t root = 0;
    Around around;
  };

  const ResolvedNode& at(int32_t number) const {
    return statement_.nodes[static_cast<size_t>(number)];
  }

  int32_t add(decltype(ResolvedNode::of) of, int32_t where) {
    ResolvedNode node{std::move(of), at(where).span, at(where).macro};
    statement_.nodes.push_back(std::move(node));
    return static_cast<int32_t>(statement_.nodes.size()) - 1;
  }

  /// Notes which nodes may fail. Arguments stand before the nodes that they are arguments of.
  void note_risks() {
    for (const ResolvedNode& node : statement_.nodes) {
      bool may_fail = is_risky(node);
      for_each_argument(node, [&](int32_t argument) {
        may_fail = may_fail || may_fail_[static_cast<size_t>(argument)];
      });
      may_fail_.push_back(may_fail);
    }
  }

  static bool is_risky(const ResolvedNode& node) {
    if (const auto* call = std::get_if<ResolvedCall>(&node.of)) {
      return !risky_arguments(call->function).empty();
    }
    if (const ResolvedRead* read = read_at(node)) {
      return std::any_of(read->index.begin(), read->index.end(), is_unbounded);
    }
    const ResolvedWhole* whole = whole_at(node);
    return whole != nullptr && is_risky_array(whole->function);
  }

  // ---- guards

  /// Adds the conjunction of a guard and a condition, which is negated unless `holds`.
  int32_t both(OptionalNode guard, int32_t condition, bool holds) {
    const int32_t second =
        holds ? condition : add(ResolvedCall{expr::id::kLogicalNot, {condition}}, condition);
    return !guard || *guard == second
               ? second
               : add(ResolvedCall{expr::id::kLogicalAnd, {*guard, second}}, condition);
  }

  /// Reduces a guard to these labels: true if it is true at any position of the other labels.
  OptionalNode over(OptionalNode guard, const Labels& available) {
    if (!guard) {
      return guard;
    }
    std::vector<LabelIndex> others;
    const Labels& own = free_.of(*guard);
    std::set_difference(own.begin(), own.end(), available.begin(), available.end(),
                        std::back_inserter(others));
    return others.empty() ? *guard : add(ResolvedReduction{kAny, others, *guard}, *guard);
  }

  Around over(Around around, const Labels& available) {
    for (OptionalNode& guard : around.guards) {
      guard = over(guard, available);
    }
    return around;
  }

  /// Returns the guards of a scan: an element is needed if any element that it is merged into is
  /// used.
  Around scanned(Around around, const ResolvedScan& scan) {
    for (OptionalNode& guard : around.guards) {
      if (guard && free_.of(*guard).contains(scan.along)) {
        guard = add(
            ResolvedScan{
                kAny, scan.along, !scan.is_reverse, scan.is_exclusive, {*guard}, scan.segments},
            *guard);
      }
    }
    return around;
  }

  /// Returns the guard of an operation: that of the outermost level that computes the same.
  OptionalNode guard_for(const std::string& operation, const Around& around) {
    around.levels.back()->insert(operation);
    for (size_t level = 0; level < around.levels.size(); ++level) {
      if (around.levels[level]->contains(operation)) {
        return around.guards[level];
      }
    }
    return around.guards.back();
  }

  void branch(int32_t root, int32_t condition, bool holds, const Around& around) {
    if (!may_fail_[static_cast<size_t>(root)]) {
      return;
    }
    Branch next{root, around};
    next.around.levels.push_back(&levels_.emplace_back());
    next.around.guards.push_back(both(around.guards.back(), condition, holds));
    branches_.push_back(std::move(next));
  }

  // ---- nodes

  void walk(int32_t number, const Around& around) {
    if (!may_fail_[static_cast<size_t>(number)] || !walked_.insert(number).second) {
      return;
    }
    const auto of = at(number).of;  // a copy, as nodes are added meanwhile
    std::visit([&](const auto& node) { walk(node, number, around); }, of);
  }

  void walk(const Among<Literal, ResolvedIndex, ResolvedSize, ResolvedParameter> auto&, int32_t,
            const Around&) {}

  void walk(const ResolvedCast& cast, int32_t, const Around& around) {
    walk(cast.argument, around);
  }

  void walk(const ResolvedCall& call, int32_t number, const Around& around) {
    namespace id = expr::id;
    const std::vector<int32_t>& arguments = call.arguments;
    if (call.function == id::kWhere) {
      walk(arguments[0], around);
      branch(arguments[1], arguments[0], true, around);
      branch(arguments[2], arguments[0], false, around);
    } else if (call.function == id::kLogicalAnd || call.function == id::kLogicalOr) {
      walk(arguments[0], around);
      branch(arguments[1], arguments[0], call.function == id::kLogicalAnd, around);
    } else if (call.function == kMasked) {
      walk(arguments[1], around);
      const int32_t is_there =
          add(ResolvedCall{std::string(kIsUnmasked), {arguments[1]}}, arguments[1]);
      branch(arguments[0], is_there, true, around);
    } else if (call.function == id::kOnly) {
      walk_only(arguments, around);
    } else if (call.function == id::kInGroup) {
      // The number of a group depends on no group.
      const LabelIndex group = std::get<ResolvedIndex>(at(arguments[1]).of).label;
      Labels labels;
      for (const OptionalNode& guard : around.guards) {
        const Labels own = guard ? free_.of(*guard) : Labels();
        labels.insert(own.begin(), own.end());
      }
      walk_risky(call, number, over(around, without(std::move(labels), {group})));
    } else {
      walk_risky(call, number, around);
    }
  }

  void walk_risky(const ResolvedCall& call, int32_t number, const Around& around) {
    for (const int32_t argument : call.arguments) {
      walk(argument, around);
    }
    if (!risky_arguments(call.function).empty()) {
      const OptionalNode guard = guard_for(same_.text_of(number), around);
      statement_.nodes[static_cast<size_t>(number)].guard = guard;
    }
  }

  /// Returns the user's part of the condition of only(); the rest selects the groups that exist.
  OptionalNode mask_of(int32_t condition) const {
    const ResolvedNode& node = at(condition);
    if (call_at(node, expr::id::kInGroup) != nullptr) {
      return std::nullopt;
    }
    const ResolvedCall* all = call_at(node, expr::id::kLogicalAnd);
    const bool ends_in_group =
        all != nullptr && call_at(at(all->arguments[1]), expr::id::kInGroup) != nullptr;
    return ends_in_group ? mask_of(all->arguments[0]) : OptionalNode(condition);
  }

  /// Walks a condition: the numbers of groups are selected by the mask already, and depend on no
  /// other group.
  void walk_condition(int32_t condition, const Around& around) {
    const ResolvedCall* all = call_at(at(condition), expr::id::kLogicalAnd);
    if (all != nullptr && call_at(at(all->arguments[1]), expr::id::kInGroup) != nullptr) {
      const std::vector<int32_t> terms = all->arguments;
      walk_condition(terms[0], around);
      walk(terms[1], around);
    } else {
      walk(condition, around);
    }
  }

  void walk_only(const std::vector<int32_t>& arguments, const Around& around) {
    walk_condition(arguments[0], around);
    if (const OptionalNode mask = mask_of(arguments[0])) {
      branch(arguments[1], *mask, true, around);
    } else {
      walk(arguments[1], around);
    }
  }

  void walk(const ResolvedRead& read, int32_t number, const Around& around) {
    for (size_t mode = 0; mode < read.index.size(); ++mode) {
      const auto* gather = std::get_if<GatherIndex>(&read.index[mode]);
      if (gather == nullptr) {
        continue;
      }
      walk(gather->node, around);
      if (is_unbounded(read.index[mode])) {
        const std::string operation =
            fmt::format("{}@{}[{}]", read.vertex.index(), mode, same_.text_of(gather->node));
        const OptionalNode guard = guard_for(operation, around);
        auto& own = std::get<ResolvedRead>(statement_.nodes[static_cast<size_t>(number)].of);
        std::get<GatherIndex>(own.index[mode]).guard = guard;
      }
    }
  }

  void walk(const ResolvedReduction& reduction, int32_t number, const Around& around) {
    Labels labels = free_.of(number);
    labels.insert(reduction.over.begin(), reduction.over.end());
    walk(reduction.argument, over(around, labels));
  }

  void walk(const ResolvedScan& scan, int32_t number, const Around& around) {
    const Around inside = over(around, free_.of(number));
    const Around elements = scanned(inside, scan);
    for (const int32_t argument : scan.arguments) {
      walk(argument, elements);
    }
    if (scan.segments) {
      walk(*scan.segments, over(inside, without(free_.of(number), {scan.along})));
    }
  }

  void walk(const ResolvedConcat& concat, int32_t, const Around& around) {
    for (const ResolvedConcat::Part& part : concat.parts) {
      walk(part.argument, over(around, without(free_.of(part.argument), {part.along})));
    }
  }

  void walk(const ResolvedWhole& whole, int32_t number, const Around& around) {
    std::vector<Around> inside;
    for (const int32_t argument : whole.arguments) {
      inside.push_back(over(around, without(free_.of(argument), whole.core)));
      walk(argument, inside.back());
    }
    const std::string operation = same_.text_of(number);
    for (const RiskyArray& risky : kRiskyArrays) {
      if (whole.function != risky.function) {
        continue;
      }
      if (const OptionalNode guard = guard_for(operation, inside[risky.argument])) {
        const int32_t argument = whole.arguments[risky.argument];
        const int32_t harmless =
            risky.is_matrix ? identity_matrix(whole, argument) : add(Literal(int64_t{1}), argument);
        const int32_t chosen =
            add(ResolvedCall{expr::id::kWhere, {*guard, argument, harmless}}, argument);
        auto& own = std::get<ResolvedWhole>(statement_.nodes[static_cast<size_t>(number)].of);
        own.arguments[risky.argument] = chosen;
      }
    }
  }

  int32_t identity_matrix(const ResolvedWhole& whole, int32_t where) {
    const int32_t row = add(ResolvedIndex{whole.core.front()}, where);
    const int32_t column = add(ResolvedIndex{whole.core.back()}, where);
    return add(ResolvedCall{expr::id::kEqual, {row, column}}, where);
  }

  ResolvedExpression& statement_;
  FreeLabels free_;
  SameNodes same_;
  std::vector<bool> may_fail_;  // by number of the resolved nodes
  std::set<int32_t> walked_;    // a condition may stand in two places, the outer one first
  std::deque<Level> levels_;
  std::deque<Branch> branches_;
};

}  // namespace

void add_guards(ResolvedExpression& statement) {
  GuardMaker(statement).run();
}

}  // namespace tessera::frontend
