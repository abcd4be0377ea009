#include "kernels/scan_start.h"

#include <algorithm>
#include <utility>

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

/// Makes accesses of consecutive operands, one for each entry of the state.
std::vector<int32_t> states_at(expr::ScalarBuilder& builder, const expr::Monoid& monoid,
                               int32_t first_operand, const std::vector<LabelNumber>& labels) {
  std::vector<int32_t> states;
  for (const DType dtype : monoid.state) {
    const int32_t operand = first_operand + static_cast<int32_t>(states.size());
    states.push_back(builder.access({operand, plain_indices(labels)}, dtype));
  }
  return states;
}

/// An expression with some of its nodes replaced by states.
class Replacement {
 public:
  /// Replaces in the node `root` of `from`: `merged` are the replaced nodes, by entry.
  Replacement(const expr::ScalarBuilder& from, int32_t root, const std::vector<int32_t>& merged,
              const std::vector<int32_t>& states)
      : from_(from), root_(root), merged_(merged), states_(states) {}

  /// Returns nothing if other parts read an operand that `is_hidden`.
  template <class IsHidden>
  std::optional<expr::Scalar> run(IsHidden is_hidden) && {
    const std::vector<bool> needed = needed_nodes();
    std::vector<int32_t> where(needed.size(), -1);
    expr::ScalarBuilder to;
    for (int32_t number = 0; number <= root_; ++number) {
      if (!needed[static_cast<size_t>(number)]) {
        continue;
      }
      const std::optional<int32_t> state = state_of(number);
      const expr::Node& node = from_.node(state.value_or(number));
      const auto* access = std::get_if<expr::Access>(&node.op);
      if (!state && access != nullptr && is_hidden(access->operand)) {
        return std::nullopt;
      }
      where[static_cast<size_t>(number)] = to.add(expr::with_arguments(node, where));
    }
    return to.finish(where.back());
  }

 private:
  /// Returns the state that a node is replaced by.
  std::optional<int32_t> state_of(int32_t number) const {
    const auto entry = std::find(merged_.begin(), merged_.end(), number);
    return entry == merged_.end()
               ? std::nullopt
               : std::optional(states_[static_cast<size_t>(entry - merged_.begin())]);
  }

  /// Marks, up to the root, the nodes that are needed; those below replaced ones are not. Arguments
  /// stand before.
  std::vector<bool> needed_nodes() const {
    std::vector<bool> needed(static_cast<size_t>(root_) + 1);
    needed.back() = true;
    for (int32_t number = root_; number >= 0; --number) {
      if (needed[static_cast<size_t>(number)] && !state_of(number)) {
        expr::for_each_argument(from_.node(number), [&](int32_t argument) {
          needed[static_cast<size_t>(argument)] = true;
        });
      }
    }
    return needed;
  }

  const expr::ScalarBuilder& from_;
  const int32_t root_;
  const std::vector<int32_t>& merged_;
  const std::vector<int32_t>& states_;
};

/// Returns the monoid's combine with its sides exchanged.
std::vector<expr::Scalar> exchanged(const expr::Monoid& monoid) {
  std::vector<expr::Scalar> combine = monoid.combine;
  const auto num_states = static_cast<int32_t>(monoid.state.size());
  for (expr::Scalar& scalar : combine) {
    for (expr::Node& node : scalar.nodes) {
      if (auto* parameter = std::get_if<expr::Parameter>(&node.op)) {
        parameter->position = (parameter->position + num_states) % (2 * num_states);
      }
    }
  }
  return combine;
}

class StartFinder {
 public:
  explicit StartFinder(const expr::TileProgram& program)
      : program_(program),
        first_(program.statements.front()),
        monoid_(*expr::monoid_of(first_)),
        num_states_(static_cast<int32_t>(monoid_.state.size())),
        others_(first_.out) {
    if (const expr::Scan* scan = expr::scan_of(first_)) {
      std::erase(others_, scan->along);
    }
  }

  /// Returns the start. The states before are mostly the last inputs.
  std::optional<ScanStart> run() const {
    const bool merges = expr::scan_of(first_) == nullptr;
    for (int32_t operand = program_.num_inputs - num_states_; operand >= 0; --operand) {
      if (!has_merged_elements(operand)) {
        continue;
      }
      if (std::optional<ScanStart> start = start_at(operand, false, monoid_.combine)) {
        return start;
      }
      if (std::optional<ScanStart> start =
              merges ? start_at(operand, true, exchanged(monoid_)) : std::nullopt) {
        return start;
      }
    }
    return std::nullopt;
  }

 private:
  /// True if the elements of the scan read none of the states that begin with this operand.
  bool has_merged_elements(int32_t operand) const {
    bool is_apart = true;
    expr::for_each_access(first_, [&](const expr::Access& access, DType) {
      is_apart = is_apart && (access.operand < operand || access.operand >= operand + num_states_);
    });
    return is_apart;
  }

  std::optional<ScanStart> start_at(int32_t operand, bool is_backward,
                                    std::vector<expr::Scalar> combine) const {
    ScanStart start{operand, is_backward, std::move(combine), {}};
    for (size_t number = 1; number < program_.statements.size(); ++number) {
      expr::TileStatement statement = program_.statements[number];
      for (expr::Scalar& body : statement.bodies) {
        std::optional<expr::Scalar> walked = over_walked_states(body, start);
        if (!walked) {
          return std::nullopt;
        }
        body = std::move(*walked);
      }
      start.rest.push_back(std::move(statement));
    }
    return reads_states(start) ? std::optional(std::move(start)) : std::nullopt;
  }

  std::optional<expr::Scalar> over_walked_states(const expr::Scalar& body,
                                                 const ScanStart& start) const {
    expr::ScalarBuilder builder;
    std::vector<int32_t> both = states_at(builder, monoid_, start.first_operand, others_);
    const std::vector<int32_t> states =
        states_at(builder, monoid_, program_.num_inputs, first_.out);
    both.insert(both.end(), states.begin(), states.end());
    std::vector<int32_t> merged;
    for (const expr::Scalar& combine : start.combine) {
      merged.push_back(builder.inline_scalar(combine, both));
    }
    const int32_t root = builder.inline_scalar(body, {});
    const auto is_hidden = [&](int32_t operand) {
      return is_state(operand) ||
             (operand >= start.first_operand && operand < start.first_operand + num_states_);
    };
    return Replacement(builder, root, merged, states).run(is_hidden);
  }

  bool is_state(int32_t operand) const {
    return operand >= program_.num_inputs && operand < program_.num_inputs + num_states_;
  }

  /// True if a later statement reads a state: else nothing was merged.
  bool reads_states(const ScanStart& start) const {
    bool reads = false;
    for (const expr::TileStatement& statement : start.rest) {
      expr::for_each_access(statement, [&](const expr::Access& access, DType) {
        reads = reads || is_state(access.operand);
      });
    }
    return reads;
  }

  const expr::TileProgram& program_;
  const expr::TileStatement& first_;
  const expr::Monoid& monoid_;
  const int32_t num_states_;
  std::vector<LabelNumber> others_;  // labels of the result without the scan's
};

/// True if the first statement scans, or merges one label in order, and maps follow.
bool may_start(const expr::TileProgram& program) {
  const expr::TileStatement& first = program.statements.front();
  const expr::Reduce* reduce = expr::reduction_of(first);
  const bool merges_in_order =
      reduce != nullptr && !reduce->monoid.is_commutative && reduce->over.size() == 1;
  return (expr::scan_of(first) != nullptr || merges_in_order) &&
         std::all_of(program.statements.begin() + 1, program.statements.end(), expr::is_map);
}

}  // namespace

std::vector<expr::Index> plain_indices(const std::vector<LabelNumber>& labels) {
  std::vector<expr::Index> index;
  for (const LabelNumber label : labels) {
    index.push_back(expr::plain(label));
  }
  return index;
}

std::optional<ScanStart> scan_start(const expr::TileProgram& program) {
  return program.statements.size() > 1 && may_start(program) ? StartFinder(program).run()
                                                             : std::nullopt;
}

}  // namespace tessera::kernels
