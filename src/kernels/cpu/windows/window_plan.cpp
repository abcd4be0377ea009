#include "kernels/cpu/windows/window_plan.h"

#include <algorithm>
#include <limits>

#include "kernels/context.h"
#include "kernels/cpu/cost/element_seconds.h"
#include "kernels/cpu/cost/statement_cost.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

namespace {

/// Taps that are merged at a time if there are many: 4 take 4 loads and a store, while two steps of
/// 2 take 4 loads and two stores.
constexpr int64_t kRadix = 4;
/// The most taps, for each element that a place moves, that are merged in one step.
constexpr int64_t kMostTapsOfAStep = 8;
constexpr int64_t kFirstCacheBytes = int64_t{32} << 10;  // of every processor with AVX2 or more

class StepPlanner {
 public:
  explicit StepPlanner(const WindowAggregate& windows) : windows_(windows) {}

  WindowPlan run() && {
    WindowArray operand{};
    for (size_t mode = 0; mode < windows_.modes.size(); ++mode) {
      operand.scale[mode] = windows_.modes[mode].step;
      operand.extra[mode] = windows_.modes[mode].reach();
    }
    plan_.arrays.push_back(operand);
    size_t last = 0;
    for (size_t mode = 0; mode < windows_.modes.size(); ++mode) {
      last = merge_mode(mode, last);
    }
    if (last == 0) {  // every window is one element
      merge(0, add_array(0, 1, 0), windows_.modes.size() - 1, 1, 1, 1);
    }
    return std::move(plan_);
  }

 private:
  /// Adds an array with this scale and extra in a mode, and the sizes of another array in the
  /// others.
  size_t add_array(size_t like, int64_t scale, int64_t extra, size_t mode = 0) {
    WindowArray array = plan_.arrays[like];
    array.scale[mode] = scale;
    array.extra[mode] = extra;
    plan_.arrays.push_back(array);
    return plan_.arrays.size() - 1;
  }

  /// Merges the windows of one more mode. Returns the array of the result.
  size_t merge_mode(size_t mode, size_t from) {
    const WindowMode& along = windows_.modes[mode];
    std::vector<WindowTap> taps;
    std::copy_if(along.taps.begin(), along.taps.end(), std::back_inserter(taps),
                 [](const WindowTap& tap) { return tap.length > 1; });
    if (taps.empty() && along.step > 1 && along.length > 1) {
      taps.push_back({});  // elements between places are skipped
    }
    for (size_t tap = 0; tap < taps.size(); ++tap) {
      const bool is_last = tap + 1 == taps.size();
      const int64_t extra =
          plan_.arrays[from].extra[mode] - taps[tap].step * (taps[tap].length - 1);
      const int64_t scale = is_last ? 1 : along.step;
      // The result's number is known once its operand is.
      const size_t to = merge(from, kNone, mode, is_last ? along.step : 1, taps[tap].step,
                              taps[tap].length, scale, extra);
      from = to;
    }
    return from;
  }

  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  /// Merges taps into a new array of this scale and extra, or into `to`.
  size_t merge(size_t from, size_t to, size_t mode, int64_t place_step, int64_t tap_step,
               int64_t num_taps, int64_t scale = 1, int64_t extra = 0) {
    if (num_taps <= kMostTapsOfAStep * place_step) {
      to = to == kNone ? add_array(from, scale, extra, mode) : to;
      plan_.steps.push_back({from, to, mode, 0, place_step, tap_step, num_taps, false});
      return to;
    }
    const WindowArray before = plan_.arrays[from];
    const size_t some =
        add_array(from, before.scale[mode], before.extra[mode] - tap_step * (kRadix - 1), mode);
    plan_.steps.push_back({from, some, mode, 0, 1, tap_step, kRadix, false});
    to = merge(some, to, mode, place_step, kRadix * tap_step, num_taps / kRadix, scale, extra);
    const int64_t rest = num_taps % kRadix;
    if (rest > 0) {
      plan_.steps.push_back(
          {from, to, mode, (num_taps - rest) * tap_step, place_step, tap_step, rest, true});
    }
    return to;
  }

  const WindowAggregate& windows_;
  WindowPlan plan_;
};

/// The cost of merging a block of one state.
class BlockCost {
 public:
  BlockCost(const WindowAggregate& windows, const WindowPlan& plan, const Context& context)
      : windows_(windows), plan_(plan), context_(context) {}

  double seconds(const PerMode& places, DType type, double lift_seconds) const {
    const KernelRates& rates = context_.machine.rates;
    double seconds = 0;
    for (const WindowStep& step : plan_.steps) {
      seconds += seconds_of(step, places, type);
    }
    if (windows_.lift != nullptr) {
      const auto lifted = static_cast<double>(plan_.num_elements(0, places));
      seconds += lifted * lift_seconds + rates.block_seconds;
    }
    const int64_t held = bytes_held(windows_, plan_, type, places);
    const bool is_close = held <= kFirstCacheBytes;
    return seconds * (is_close ? 1 : held <= context_.machine.caches.core_bytes / 2 ? 1.5 : 4);
  }

 private:
  double seconds_of(const WindowStep& step, const PerMode& places, DType type) const {
    const KernelRates& rates = context_.machine.rates;
    const size_t last = windows_.modes.size() - 1;
    const PerMode to = plan_.extents(step.to, places);
    const auto results = static_cast<double>(plan_.num_elements(step.to, places));
    const double loads = static_cast<double>(step.num_taps + (step.continues ? 2 : 1));
    const double width = static_cast<double>(size_of(type)) / 4;
    // A line is as long as the modes behind the merged one, including it if places are neighbours.
    double line = step.mode < last && step.place_step == 1 ? static_cast<double>(to[step.mode]) : 1;
    for (size_t mode = std::min(step.mode + 1, last); mode <= last; ++mode) {
      line *= static_cast<double>(to[mode]);
    }
    const bool is_spread = step.mode == last && step.place_step > 1;
    const double vector_seconds =
        loads * width * (is_spread ? 2 : 1) / rates.window_loads_per_second;
    const bool is_single =
        line < 64 / static_cast<double>(size_of(type)) || (is_spread && step.place_step > 4);
    const double element_seconds = is_single ? loads * 0.5e-9 : vector_seconds;
    return results * element_seconds + results / line * rates.window_line_seconds;
  }

  const WindowAggregate& windows_;
  const WindowPlan& plan_;
  const Context& context_;
};

/// Fills the budget with places, innermost modes first.
PerMode fill(const WindowAggregate& windows, const WindowPlan& plan, DType type, int64_t budget) {
  PerMode places;
  places.fill(1);
  for (size_t mode = windows.modes.size(); mode-- > 0;) {
    places[mode] = windows.modes[mode].length;
    while (places[mode] > 1 && bytes_held(windows, plan, type, places) > budget) {
      places[mode] = (places[mode] + 1) / 2;
    }
    if (places[mode] < windows.modes[mode].length) {
      break;
    }
  }
  return places;
}

/// Returns a type as wide as the widest merged state.
DType widest_type(const WindowAggregate& windows) {
  DType widest = DType::i8;
  for (const WindowAggregate::State& state : windows.states) {
    widest = !state.constant && size_of(state.type) > size_of(widest) ? state.type : widest;
  }
  return widest;
}

/// Returns the seconds of merging all states in blocks of these places.
double seconds_in_blocks(const WindowAggregate& windows, const WindowPlan& plan,
                         const expr::TileStatement& statement, double results,
                         const PerMode& places, const Context& context) {
  double blocks = results;
  for (const int64_t in_block : places) {
    blocks /= static_cast<double>(in_block);
  }
  double seconds = 0;
  for (size_t state = 0; state < windows.states.size(); ++state) {
    if (!windows.states[state].constant) {
      const double lift = seconds_per_element(statement.bodies[state], context);
      seconds +=
          blocks *
          BlockCost(windows, plan, context).seconds(places, windows.states[state].type, lift);
    }
  }
  return seconds;
}

}  // namespace

PerMode WindowPlan::extents(size_t array, const PerMode& places) const {
  PerMode extents;
  for (size_t mode = 0; mode < kMostWindowModes; ++mode) {
    extents[mode] = arrays[array].scale[mode] * (places[mode] - 1) + 1 + arrays[array].extra[mode];
  }
  return extents;
}

int64_t WindowPlan::num_elements(size_t array, const PerMode& places) const {
  int64_t elements = 1;
  for (const int64_t extent : extents(array, places)) {
    elements *= extent;
  }
  return elements;
}

int64_t bytes_held(const WindowAggregate& windows, const WindowPlan& plan, DType type,
                   const PerMode& places) {
  int64_t bytes = 0;
  for (size_t array = plan.first_held(windows); array < plan.last_held(windows); ++array) {
    bytes += aligned_bytes(plan.num_elements(array, places) * size_of(type));
  }
  return bytes;
}

WindowPlan plan_windows(const WindowAggregate& windows, const expr::TileStatement& statement,
                        const CallShape& shape, const Context& context) {
  WindowPlan plan = StepPlanner(windows).run();
  const KernelRates& rates = context.machine.rates;
  const double results = num_positions(statement.out, shape);
  plan.cost.bytes = bytes_moved(statement, shape);
  plan.cost.flops =
      results * num_positions(expr::reduced_labels(statement), shape) * num_calls(statement);
  plan.cost.seconds = std::numeric_limits<double>::infinity();
  // Small blocks stay in the first cache, large ones read fewer elements twice.
  const int64_t core_bytes = context.machine.caches.core_bytes;
  for (int64_t budget = std::min(kFirstCacheBytes / 2, core_bytes); budget <= 4 * core_bytes;
       budget *= 2) {
    const PerMode places = fill(windows, plan, widest_type(windows), budget);
    const double seconds = rates.call_seconds + plan.cost.bytes / rates.bytes_per_second +
                           seconds_in_blocks(windows, plan, statement, results, places, context);
    if (seconds < plan.cost.seconds) {
      plan.cost.seconds = seconds;
      plan.block = places;
    }
  }
  return plan;
}

}  // namespace tessera::kernels
