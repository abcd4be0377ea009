#include "kernels/cpu/scan/scan_plan.h"

#include <algorithm>
#include <utility>

#include "expr/reduction_order.h"
#include "kernels/cpu/cost/element_seconds.h"
#include "kernels/cpu/cost/statement_cost.h"
#include "kernels/cpu/scan/line_merger.h"
#include "kernels/cpu/scan/panel_scan.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

/// Seconds of an element in a line by itself, which waits for each; measured: cumsum of 4e6 f64 on
/// one core of an EPYC, 2026-11.
constexpr double kElementOfLineSeconds = 1.6e-9;

/// Merges of a position in parts: it is merged twice, and again for its share of the parts.
constexpr double kMergesInParts = 2.3;

/// Seconds to copy an element into a panel or a result out of it, in a cache; measured: a
/// recurrence of two numbers over 1e7 f64, on one core of an EPYC, 2026-11.
constexpr double kPanelElementSeconds = 0.7e-9;

/// Seconds to enter a function of a row and to move its result; an estimate.
constexpr double kFunctionSeconds = 10e-9;

/// The most positions of lines that are scanned without parts.
constexpr int64_t kMostWithoutParts = 128;

/// Lines that fill a panel without parts.
constexpr int64_t kManyLines = Panel::kLanes / 2;

class ScanPlanner {
 public:
  ScanPlanner(const CallShape& shape, const Context& context) : shape_(shape), context_(context) {}

  OrRefusal<ScanPlan> run(const expr::TileProgram& program) && {
    if (std::optional<Refusal> refusal = read(program)) {
      return *refusal;
    }
    choose_band();
    if (std::optional<Refusal> refusal = choose_parts()) {
      return *refusal;
    }
    lay_out();
    plan_.cost = cost();
    return std::move(plan_);
  }

 private:
  std::optional<Refusal> read(const expr::TileProgram& program) {
    if (shape_.accumulate) {
      return Refusal{"it merges one tile, not into another"};
    }
    OrRefusal<ScanForm> form = scan_form(program, context_.machine.isa);
    if (!form) {
      return form.refusal();
    }
    plan_.form = std::move(*form);
    plan_.order = plan_.form.order();
    if (!plan_.form.merged.empty()) {
      OrRefusal<BlockReduction> lines =
          BlockReduction::compile(plan_.form.monoid(), context_.machine.isa);
      if (!lines) {
        return lines.refusal();
      }
      plan_.line_merging = std::make_shared<const BlockReduction>(std::move(*lines));
    }
    if (plan_.form.loop) {
      return std::nullopt;
    }
    OrRefusal<ScanMerges> merges = scan_merges(plan_.form, context_.machine.isa);
    if (!merges) {
      return merges.refusal();
    }
    plan_.merging = std::make_shared<const ScanMerges>(std::move(*merges));
    plan_.is_in_parts = is_in_parts();
    return std::nullopt;
  }

  /// True if lines are scanned in parts. If merging rounds, this must depend on the line alone: the
  /// order may not show the cuts of other labels.
  bool is_in_parts() const {
    const bool is_exact = expr::merges_exactly(plan_.form.monoid(), context_.aggregates);
    return length_of(plan_.form.along()) > kMostWithoutParts &&
           !(is_exact && num_lines() >= kManyLines);
  }

  int64_t num_lines() const {
    int64_t lines = 1;
    for (const LabelNumber label : plan_.order) {
      lines *= label == plan_.form.along() ? 1 : std::max<int64_t>(length_of(label), 1);
    }
    return lines;
  }

  int64_t length_of(LabelNumber label) const {
    return shape_.ranges[static_cast<size_t>(label)].length;
  }

  int64_t positions_of(const std::vector<LabelNumber>& labels) const {
    int64_t positions = 1;
    for (const LabelNumber label : labels) {
      positions *=
          std::max<int64_t>(label == plan_.band_label ? plan_.band_length : length_of(label), 1);
    }
    return positions;
  }

  /// Chooses the band label, the outermost with several positions; if statements pass results on,
  /// the band is as long as the cache holds.
  void choose_band() {
    const auto longer = std::find_if(plan_.order.begin(), plan_.order.end(),
                                     [&](LabelNumber label) { return length_of(label) > 1; });
    const bool is_first = longer == plan_.order.end() || plan_.merges();
    plan_.band_label = is_first ? plan_.order.front() : *longer;
    plan_.band_length = 1;
    const int64_t bytes = std::max<int64_t>(position_bytes() * positions_of(plan_.order), 1);
    const int64_t whole = std::max<int64_t>(length_of(plan_.band_label), 1);
    const int64_t fitting = std::max<int64_t>(context_.machine.caches.core_bytes / 2 / bytes, 1);
    plan_.band_length = plan_.num_statements() == 1
                            ? whole
                            : std::clamp(round_up(fitting, unit_of_bands()), int64_t{1}, whole);
  }

  int64_t position_bytes() const {
    int64_t bytes = 0;
    for (size_t number = 0; number < plan_.num_statements(); ++number) {
      const expr::TileStatement& statement = plan_.form.program.statements[number];
      for (size_t body = 0; body < statement.bodies.size(); ++body) {
        const bool is_made = number != plan_.form.scan_at || plan_.form.is_stored[body];
        bytes += is_made ? 2 * size_of(statement.bodies[body].dtype()) : 0;
      }
    }
    return bytes;
  }

  /// Returns the unit of bands, which begin where stretches do, and fill panels.
  int64_t unit_of_bands() const {
    if (!plan_.is_in_parts || !plan_.carries()) {
      return 1;
    }
    const int64_t stretches = Panel::kLanes / Panel::kParts / num_lines();
    return Panel::kStretch * std::max<int64_t>(stretches, 1);
  }

  std::vector<LabelRange> band_of(int64_t length) const {
    std::vector<LabelRange> band = shape_.ranges;
    band[static_cast<size_t>(plan_.band_label)].length = length;
    return band;
  }

  std::optional<Refusal> choose_parts() {
    for (StatementPart& part : split_statements(plan_.form.program)) {
      plan_.parts.emplace_back();
      if (plan_.parts.size() == plan_.form.scan_at + 1) {
        continue;
      }
      const auto num_results = static_cast<size_t>(part.num_results());
      if (std::optional<Refusal> refusal = too_many_streams(part.operands.size() + num_results)) {
        return refusal;
      }
      if (std::optional<Refusal> refusal = choose_part(std::move(part))) {
        return refusal;
      }
    }
    return std::nullopt;
  }

  std::optional<Refusal> choose_part(StatementPart part) {
    const auto kernel_for = [&](int64_t length) {
      return cheapest(part.program, shape_of_part(part, band_of(length), false), context_);
    };
    const int64_t rest = length_of(plan_.band_label) % plan_.band_length;
    OrRefusal<Choice> full = kernel_for(plan_.band_length);
    OrRefusal<Choice> last = kernel_for(rest == 0 ? plan_.band_length : rest);
    if (!full || !last) {
      return full ? last.refusal() : full.refusal();
    }
    plan_.parts.back() = ScanPlan::Part{std::move(part), std::move(full->plan), {}};
    if (rest != 0) {
      plan_.parts.back()->shorter = std::move(last->plan);
    }
    return std::nullopt;
  }

  /// Lays out the results of all statements but the last, the states of all lines, and the other
  /// kernels' workspace.
  void lay_out() {
    int64_t bytes = 0;
    for (size_t number = 0; number < plan_.num_statements(); ++number) {
      const bool is_last = number + 1 == plan_.num_statements();
      int output = 0;
      const std::vector<expr::Scalar>& bodies = plan_.form.program.statements[number].bodies;
      for (size_t body = 0; body < bodies.size(); ++body) {
        const bool is_stored = number != plan_.form.scan_at || plan_.form.is_stored[body];
        const DType dtype = bodies[body].dtype();
        plan_.results.push_back(
            {number, dtype, bytes, is_last && is_stored ? output++ : -1, is_stored});
        bytes +=
            is_last || !is_stored ? 0 : aligned_bytes(positions_of(plan_.order) * size_of(dtype));
      }
    }
    for (size_t entry = 0; entry < plan_.num_states(); ++entry) {
      plan_.state_offset[entry] = bytes;
      bytes += aligned_bytes(num_lines() * size_of(plan_.form.monoid().state[entry]));
    }
    plan_.lines_offset = bytes;
    bytes += plan_.line_merging ? LineMerger::workspace_bytes(*plan_.line_merging, num_lines()) : 0;
    plan_.panels_offset = bytes;
    bytes += plan_.merging ? PanelScan::workspace_bytes(*plan_.merging) : 0;
    plan_.parts_offset = bytes;
    for (const std::optional<ScanPlan::Part>& part : plan_.parts) {
      if (part) {
        const int64_t shorter = part->shorter ? part->shorter->workspace_bytes : 0;
        bytes =
            std::max(bytes, plan_.parts_offset + std::max(part->kernel.workspace_bytes, shorter));
      }
    }
    plan_.workspace_bytes = bytes;
  }

  Cost cost() const {
    const KernelRates& rates = context_.machine.rates;
    // Walked lines are too rare to count.
    const double positions =
        plan_.line_merging ? static_cast<double>(num_lines()) : num_positions(plan_.order, shape_);
    Cost cost;
    cost.flops = positions * num_calls(plan_.form.scan());
    cost.bytes =
        plan_.line_merging ? positions * 3 * state_bytes() : bytes_moved(plan_.form.scan(), shape_);
    const double merging = positions * (plan_.merging ? panel_seconds() : loop_seconds());
    cost.seconds = rates.call_seconds + std::max(merging, cost.bytes / rates.bytes_per_second);
    const double bands =
        static_cast<double>(length_of(plan_.band_label)) / static_cast<double>(plan_.band_length);
    for (const std::optional<ScanPlan::Part>& part : plan_.parts) {
      if (part) {
        cost.flops += bands * part->kernel.cost.flops;
        cost.bytes += bands * part->kernel.cost.bytes;
        cost.seconds += bands * part->kernel.cost.seconds;
      }
    }
    return cost;
  }

  double state_bytes() const {
    double bytes = 0;
    for (const DType dtype : plan_.form.monoid().state) {
      bytes += static_cast<double>(size_of(dtype));
    }
    return bytes;
  }

  /// Returns the seconds of a position in a loop.
  double loop_seconds() const {
    return plan_.order.back() == plan_.form.along()
               ? kElementOfLineSeconds
               : static_cast<double>(size_of(plan_.form.loop->type)) / 4 /
                     context_.machine.rates.steps_per_second;
  }

  /// Returns the seconds of a position in panels: its functions, each of which is also entered once
  /// for a row.
  double panel_seconds() const {
    const ScanMerges& merging = *plan_.merging;
    double seconds = 0;
    double calls = 0;
    for (const expr::Scalar& body : merging.element_bodies) {
      seconds += seconds_per_element(body, context_);
      calls += static_cast<double>(body.nodes.size());
    }
    const double lanes = plan_.is_in_parts
                             ? static_cast<double>(Panel::kLanes)
                             : static_cast<double>(std::min(num_lines(), Panel::kLanes));
    const double moved = static_cast<double>(2 * plan_.num_states()) * kPanelElementSeconds;
    seconds += calls * kFunctionSeconds / lanes;
    return moved + (plan_.is_in_parts ? kMergesInParts : 1) * seconds;
  }

  const CallShape& shape_;
  const Context& context_;
  ScanPlan plan_;
};

}  // namespace

size_t ScanPlan::first_state() const {
  return form.scan_at == 0 ? 0 : form.program.statements[0].bodies.size();
}

bool ScanPlan::is_backward() const {
  return form.is_backward;
}

bool ScanPlan::is_exclusive() const {
  const expr::Scan* scan = expr::scan_of(form.scan());
  return scan != nullptr && scan->is_exclusive;
}

OrRefusal<ScanPlan> plan_scan(const expr::TileProgram& program, const CallShape& shape,
                              const Context& context) {
  return ScanPlanner(shape, context).run(program);
}

}  // namespace tessera::kernels
