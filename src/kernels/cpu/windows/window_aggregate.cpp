#include "kernels/cpu/windows/window_aggregate.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "kernels/cpu/walk/state_function.h"
#include "kernels/cpu/windows/window_plan.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

bool is_among(const std::vector<LabelNumber>& labels, LabelNumber label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// Returns the one access that all bodies read, if nothing else differs between positions.
OrRefusal<expr::Access> only_access(const expr::TileStatement& statement) {
  std::optional<expr::Access> only;
  for (const expr::Scalar& body : statement.bodies) {
    for (const expr::Node& node : body.nodes) {
      const auto* access = std::get_if<expr::Access>(&node.op);
      const bool is_other = access != nullptr && only && !(*access == *only);
      if (is_other || std::holds_alternative<expr::IndexOf>(node.op)) {
        return Refusal{"what is merged depends on more than one element"};
      }
      if (access != nullptr) {
        only = *access;
      }
    }
  }
  if (!only) {
    return Refusal{"nothing is read"};
  }
  return *only;
}

/// A sorter of the labels of an access into places and taps.
class WindowSorting {
 public:
  WindowSorting(const expr::TileStatement& statement, const CallShape& shape)
      : statement_(statement), shape_(shape) {}

  OrRefusal<std::vector<WindowMode>> run(const expr::Access& access) && {
    for (const expr::Index& index : access.index) {
      WindowMode& mode = modes_.emplace_back();
      bool fits = true;
      expr::for_each_term(index, [&](LabelNumber label, int64_t coefficient) {
        fits = fits && add(mode, label, coefficient);
      });
      if (!fits) {
        return Refusal{"a mode is read otherwise than at a place and taps"};
      }
    }
    if (used_.size() != statement_.out.size() + expr::reduced_labels(statement_).size()) {
      return Refusal{"a label is not read"};
    }
    const bool moves = std::any_of(modes_.begin(), modes_.end(), [](const WindowMode& mode) {
      return mode.place && !mode.taps.empty();
    });
    if (!moves) {
      return Refusal{"it moves no window"};
    }
    return std::move(modes_);
  }

 private:
  bool add(WindowMode& mode, LabelNumber label, int64_t coefficient) {
    const int64_t length = shape_.ranges[static_cast<size_t>(label)].length;
    if (is_among(used_, label) || coefficient == 0 || length == 0) {
      return false;
    }
    used_.push_back(label);
    if (!is_among(statement_.out, label)) {
      mode.taps.push_back({label, std::abs(coefficient), length, coefficient < 0});
      return true;
    }
    const bool is_first = !mode.place;
    mode.place = label;
    mode.step = coefficient;
    mode.length = length;
    return is_first && coefficient > 0;
  }

  const expr::TileStatement& statement_;
  const CallShape& shape_;
  std::vector<WindowMode> modes_;
  std::vector<LabelNumber> used_;
};

WindowMerge find_merge(const std::optional<std::string>& function, DType type, Isa isa) {
  for (const WindowEntry& entry : window_entries(isa)) {
    if (entry.type == type && function == entry.merge) {
      return entry.run;
    }
  }
  return nullptr;
}

/// Returns the merge of as many copies of a number as a window has elements.
std::array<std::byte, 16> merged_copies(const Literal& value, const WindowAggregate::State& state,
                                        const std::vector<WindowMode>& modes) {
  std::array<std::byte, 16> merged;
  fill_literal(value, state.type, merged.data(), 1);
  for (const WindowMode& mode : modes) {
    for (const WindowTap& tap : mode.taps) {
      const std::array<std::byte, 16> one = merged;
      state.merge(one.data(), {.tap_step = 0, .num_taps = tap.length, .count = 1}, merged.data());
    }
  }
  return merged;
}

/// Returns the number that a body is for every element; nothing if it reads one.
std::optional<Literal> constant_of(const expr::Scalar& body) {
  const auto* constant = std::get_if<expr::Constant>(&body.nodes.back().op);
  return constant == nullptr ? std::nullopt : std::optional(constant->value);
}

std::optional<Refusal> add_states(const expr::TileStatement& statement, const expr::Monoid& monoid,
                                  Isa isa, WindowAggregate& windows) {
  for (size_t number = 0; number < statement.bodies.size(); ++number) {
    WindowAggregate::State state;
    state.type = compute_type(monoid.state[number]);
    state.merge = find_merge(merging_function_of(monoid, number), state.type, isa);
    if (state.merge == nullptr || state.type != monoid.state[number]) {
      return Refusal{fmt::format("there is no code that merges windows of {} by its aggregate",
                                 name_of(monoid.state[number]))};
    }
    if (const std::optional<Literal> constant = constant_of(statement.bodies[number])) {
      state.constant = merged_copies(*constant, state, windows.modes);
    }
    windows.states.push_back(state);
  }
  return std::nullopt;
}

/// Returns the bodies that read the operand, over its modes.
expr::TileStatement lifting(const expr::TileStatement& statement, const expr::Access& access) {
  expr::Access plain{0, {}};
  expr::TileStatement lifting;
  for (size_t mode = 0; mode < access.index.size(); ++mode) {
    plain.index.push_back(expr::plain(static_cast<LabelNumber>(mode)));
    lifting.out.push_back(static_cast<LabelNumber>(mode));
  }
  for (const expr::Scalar& body : statement.bodies) {
    if (!constant_of(body)) {
      lifting.bodies.push_back(body);
      expr::for_each_access(lifting.bodies.back(),
                            [&](expr::Access& read, DType) { read = plain; });
    }
  }
  return lifting;
}

std::optional<Refusal> add_lift(const expr::TileStatement& statement, Isa isa,
                                WindowAggregate& windows) {
  const expr::TileStatement lift = lifting(statement, windows.access);
  const bool is_stored = lift.bodies.size() == 1 && lift.bodies[0].nodes.size() == 1 &&
                         compute_type(lift.bodies[0].dtype()) == lift.bodies[0].dtype();
  if (is_stored) {
    return std::nullopt;
  }
  CallShape any;  // a map's code is the same for every length
  any.ranges.resize(windows.modes.size(), {0, 1});
  OrRefusal<std::shared_ptr<const BlockedEvaluator>> made =
      BlockedEvaluator::compile(lift, any, isa);
  if (!made) {
    return made.refusal();
  }
  windows.lift = *made;
  return std::nullopt;
}

}  // namespace

int64_t WindowMode::reach() const {
  int64_t reach = 0;
  for (const WindowTap& tap : taps) {
    reach += tap.step * (tap.length - 1);
  }
  return reach;
}

bool WindowAggregate::is_in_order() const {
  return std::is_sorted(mode_of_out.begin(), mode_of_out.end());
}

OrRefusal<WindowAggregate> read_as_windows(const expr::TileProgram& program, const CallShape& shape,
                                           Isa isa) {
  const expr::TileStatement& statement = program.statements[0];
  const expr::Reduce* reduce = expr::reduction_of(statement);
  if (reduce == nullptr) {
    return Refusal{"it is not one reduction"};
  }
  const OrRefusal<expr::Access> access = only_access(statement);
  if (!access) {
    return access.refusal();
  }
  OrRefusal<std::vector<WindowMode>> modes = WindowSorting(statement, shape).run(*access);
  if (!modes) {
    return modes.refusal();
  }
  WindowAggregate windows{*access, std::move(*modes), {}, {}, nullptr};
  if (windows.modes.size() > kMostWindowModes || statement.bodies.size() > kMostWindowStates) {
    return Refusal{"the operand has too many modes, or the aggregate too many states"};
  }
  for (const LabelNumber label : statement.out) {
    const auto mode = std::find_if(windows.modes.begin(), windows.modes.end(),
                                   [&](const WindowMode& one) { return one.place == label; });
    windows.mode_of_out.push_back(static_cast<size_t>(mode - windows.modes.begin()));
  }
  if (std::optional<Refusal> refusal = add_states(statement, reduce->monoid, isa, windows)) {
    return std::move(*refusal);
  }
  if (std::optional<Refusal> refusal = add_lift(statement, isa, windows)) {
    return std::move(*refusal);
  }
  return windows;
}

}  // namespace tessera::kernels
