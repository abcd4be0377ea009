#include "kernels/cpu/scan/scan_plan.h"

#include <algorithm>
#include <utility>

#include "expr/function_ids.h"
#include "kernels/cpu/cost/statement_cost.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

/// A line alone waits for each of its elements; measured: cumsum of 4e6 f64 on one core of an EPYC,
/// 2026-11.
constexpr double kElementOfLineSeconds = 1.6e-9;

/// (y + v * z, w * v) of the states (z, w) and (y, v).
std::vector<expr::Scalar> recurrence(DType type) {
  std::vector<expr::Scalar> combine;
  for (const int32_t entry : {0, 1}) {
    expr::ScalarBuilder builder;
    const int32_t state = builder.parameter(entry, type);
    const int32_t factor = builder.parameter(3, type);
    const int32_t product = entry == 0 ? builder.call(expr::id::kMultiply, {factor, state}, type)
                                       : builder.call(expr::id::kMultiply, {state, factor}, type);
    const int32_t merged =
        entry == 0 ? builder.call(expr::id::kAdd, {builder.parameter(2, type), product}, type)
                   : product;
    combine.push_back(builder.finish(merged));
  }
  return combine;
}

std::optional<ScanEntry> loop_of(const expr::Monoid& monoid, Isa isa) {
  const DType type = monoid.state[0];
  const bool is_recurrent =
      monoid.state == std::vector{type, type} && monoid.combine == recurrence(type);
  const std::optional<std::string> merge =
      is_recurrent ? std::optional<std::string>(kRecurrence) : expr::merging_function(monoid);
  for (const ScanEntry& entry : scan_entries(isa)) {
    if (merge == entry.merge && type == entry.type) {
      return entry;
    }
  }
  return std::nullopt;
}

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
    OrRefusal<ScanForm> form = scan_form(program);
    if (!form) {
      return form.refusal();
    }
    plan_.form = std::move(*form);
    plan_.order = plan_.form.order();
    const std::optional<ScanEntry> loop = loop_of(plan_.form.monoid(), context_.machine.isa);
    if (!loop || plan_.num_states() > kMostScanned) {
      return Refusal{"it scans by one function or a recurrence of f32, f64, i32 or i64, not by " +
                     plan_.form.monoid().name};
    }
    const bool is_alone = program.statements.size() == 1;
    if (plan_.num_states() > 1 && !plan_.merges() &&
        (is_alone || plan_.form.scan_at + 1 != plan_.num_statements())) {
      return Refusal{"it has only the first entry of the states, and computes nothing from others"};
    }
    if (shape_.accumulate) {
      return Refusal{"it merges one tile, not into another"};
    }
    plan_.loop = *loop;
    return std::nullopt;
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

  /// The outermost label with several positions; as many of them as the cache holds, where one
  /// statement hands something to another.
  void choose_band() {
    const auto longer = std::find_if(plan_.order.begin(), plan_.order.end(),
                                     [&](LabelNumber label) { return length_of(label) > 1; });
    const bool is_first = longer == plan_.order.end() || plan_.merges();
    plan_.band_label = is_first ? plan_.order.front() : *longer;
    int64_t position_bytes = 0;
    for (const expr::TileStatement& statement : plan_.form.program.statements) {
      for (const expr::Scalar& body : statement.bodies) {
        position_bytes += 2 * size_of(body.dtype());
      }
    }
    plan_.band_length = 1;
    const int64_t bytes = position_bytes * positions_of(plan_.order);
    const int64_t whole = std::max<int64_t>(length_of(plan_.band_label), 1);
    plan_.band_length =
        plan_.num_statements() == 1
            ? whole
            : std::clamp(context_.machine.caches.core_bytes / 2 / bytes, int64_t{1}, whole);
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

  /// The results of all statements but the last, the states of all lines, the other kernels.
  void lay_out() {
    int64_t bytes = 0;
    for (size_t number = 0; number < plan_.num_statements(); ++number) {
      const bool is_last = number + 1 == plan_.num_statements();
      int output = 0;
      for (const expr::Scalar& body : plan_.form.program.statements[number].bodies) {
        plan_.results.push_back({number, body.dtype(), bytes, is_last ? output++ : -1});
        bytes += is_last ? 0 : aligned_bytes(positions_of(plan_.order) * size_of(body.dtype()));
      }
    }
    int64_t lines = 1;
    for (const LabelNumber label : plan_.order) {
      lines *= label == plan_.form.along() ? 1 : std::max<int64_t>(length_of(label), 1);
    }
    for (size_t entry = 0; entry < plan_.num_states(); ++entry) {
      plan_.state_offset[entry] = bytes;
      bytes += aligned_bytes(lines * size_of(plan_.loop.type));
    }
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
    const double positions = num_positions(plan_.order, shape_);
    const auto element_bytes = static_cast<double>(size_of(plan_.loop.type));
    Cost cost;
    cost.flops = positions * static_cast<double>(2 * plan_.num_states() - 1);
    cost.bytes = bytes_moved(plan_.form.scan(), shape_);
    const double merging = plan_.order.back() == plan_.form.along()
                               ? positions * kElementOfLineSeconds
                               : positions * element_bytes / 4 / rates.steps_per_second;
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

  const CallShape& shape_;
  const Context& context_;
  ScanPlan plan_;
};

}  // namespace

bool ScanPlan::is_backward() const {
  const expr::Scan* scan = expr::scan_of(form.scan());
  return scan != nullptr && scan->direction == expr::Scan::Direction::backward;
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
