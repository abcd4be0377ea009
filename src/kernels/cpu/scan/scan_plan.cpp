#include "kernels/cpu/scan/scan_plan.h"

#include <algorithm>
#include <utility>

#include "kernels/cpu/cost/statement_cost.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

/// A line alone waits for each of its elements; measured: cumsum of a vector of f64.
constexpr double kElementOfLineSeconds = 1.4e-9;

/// Whether a scan can read the elements of an expression where they lie.
bool is_in_place(const expr::Scalar& body) {
  const auto* access =
      body.nodes.size() == 1 ? std::get_if<expr::Access>(&body.nodes[0].op) : nullptr;
  return access != nullptr &&
         std::all_of(access->index.begin(), access->index.end(), expr::is_plain_or_fixed);
}

/// The program with the elements of its scan made by a statement before it.
expr::TileProgram with_elements_before(expr::TileProgram program) {
  for (size_t number = 1; number < program.statements.size(); ++number) {
    for (expr::Scalar& body : program.statements[number].bodies) {
      expr::for_each_access(body, [&](expr::Access& access, DType) {
        access.operand += access.operand >= program.num_inputs ? 1 : 0;
      });
    }
  }
  expr::TileStatement& scan = program.statements.front();
  std::vector<expr::Index> index;
  for (const LabelNumber label : scan.out) {
    index.push_back(expr::plain(label));
  }
  expr::Scalar read = expr::scalar_of({program.num_inputs, index}, scan.bodies[0].dtype());
  expr::TileStatement elements{scan.out, {std::exchange(scan.bodies[0], std::move(read))}};
  program.statements.insert(program.statements.begin(), std::move(elements));
  return program;
}

std::optional<ScanEntry> loop_of(const expr::Monoid& monoid, Isa isa) {
  const std::optional<std::string> merge = expr::merging_function(monoid);
  for (const ScanEntry& entry : scan_entries(isa)) {
    if (merge == entry.merge && monoid.state[0] == entry.type) {
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
    const auto* scan = std::get_if<expr::Scan>(&program.statements.front().what);
    if (scan == nullptr ||
        !std::all_of(program.statements.begin() + 1, program.statements.end(), expr::is_map)) {
      return Refusal{"it scans first, and computes element by element after it"};
    }
    const std::optional<ScanEntry> loop = loop_of(scan->monoid, context_.machine.isa);
    if (!loop) {
      return Refusal{"it scans by one function of f32, f64, i32 or i64, not by " +
                     scan->monoid.name};
    }
    const std::vector<LabelNumber>& out = program.statements.front().out;
    for (const expr::TileStatement& statement : program.statements) {
      if (statement.out != out || statement.bodies.size() != 1) {
        return Refusal{"its statements have one result each, of the same labels"};
      }
    }
    plan_.loop = *loop;
    const bool reads_in_place = is_in_place(program.statements.front().bodies[0]);
    plan_.program = reads_in_place ? program : with_elements_before(program);
    plan_.scan_at = reads_in_place ? 0 : 1;
    return std::nullopt;
  }

  int64_t length_of(LabelNumber label) const {
    return shape_.ranges[static_cast<size_t>(label)].length;
  }

  /// The outermost label with several positions; as many of them as the cache holds.
  void choose_band() {
    const std::vector<LabelNumber>& out = plan_.scan().out;
    const auto longer = std::find_if(out.begin(), out.end(),
                                     [&](LabelNumber label) { return length_of(label) > 1; });
    plan_.band_label = longer == out.end() ? out.front() : *longer;
    int64_t position_bytes = 0;
    for (const expr::TileStatement& statement : plan_.program.statements) {
      position_bytes += 2 * size_of(statement.bodies[0].dtype());
    }
    for (const LabelNumber label : out) {
      position_bytes *= label == plan_.band_label ? 1 : std::max<int64_t>(length_of(label), 1);
    }
    const int64_t whole = std::max<int64_t>(length_of(plan_.band_label), 1);
    const int64_t most = context_.machine.caches.core_bytes / 2 / position_bytes;
    plan_.band_length =
        plan_.program.statements.size() == 1 ? whole : std::clamp(most, int64_t{1}, whole);
  }

  std::vector<LabelRange> band_of(int64_t length) const {
    std::vector<LabelRange> band = shape_.ranges;
    band[static_cast<size_t>(plan_.band_label)].length = length;
    return band;
  }

  std::optional<Refusal> choose_parts() {
    const int64_t rest = length_of(plan_.band_label) % plan_.band_length;
    for (StatementPart& part : split_statements(plan_.program)) {
      if (plan_.parts.size() == plan_.scan_at) {
        plan_.parts.emplace_back();
        continue;
      }
      if (std::optional<Refusal> refusal = too_many_streams(part.operands.size() + 1)) {
        return refusal;
      }
      OrRefusal<Choice> full =
          cheapest(part.program, shape_of_part(part, band_of(plan_.band_length), false), context_);
      if (!full) {
        return full.refusal();
      }
      ScanPlan::Part made{std::move(part), std::move(full->plan), {}};
      if (rest != 0) {
        OrRefusal<Choice> last = cheapest(
            made.statement.program, shape_of_part(made.statement, band_of(rest), false), context_);
        if (!last) {
          return last.refusal();
        }
        made.shorter = std::move(last->plan);
      }
      plan_.parts.emplace_back(std::move(made));
    }
    return std::nullopt;
  }

  /// The results of all statements but the last, the states of all lines, the other kernels.
  void lay_out() {
    int64_t band = plan_.band_length;
    int64_t lines = 1;
    const LabelNumber along = std::get<expr::Scan>(plan_.scan().what).along;
    for (const LabelNumber label : plan_.scan().out) {
      band *= label == plan_.band_label ? 1 : length_of(label);
      lines *= label == along ? 1 : length_of(label);
    }
    int64_t bytes = 0;
    for (size_t number = 0; number + 1 < plan_.program.statements.size(); ++number) {
      plan_.offsets.push_back(bytes);
      bytes += aligned_bytes(band * size_of(plan_.program.statements[number].bodies[0].dtype()));
    }
    plan_.state_offset = bytes;
    plan_.parts_offset = bytes + aligned_bytes(lines * size_of(plan_.loop.type));
    int64_t most = 0;
    for (const std::optional<ScanPlan::Part>& part : plan_.parts) {
      if (part) {
        most = std::max({most, part->kernel.workspace_bytes,
                         part->shorter ? part->shorter->workspace_bytes : 0});
      }
    }
    plan_.workspace_bytes = plan_.parts_offset + most;
  }

  Cost cost() const {
    const KernelRates& rates = context_.machine.rates;
    const expr::TileStatement& scan = plan_.scan();
    const double positions = num_positions(scan.out, shape_);
    const LabelNumber along = std::get<expr::Scan>(scan.what).along;
    Cost cost;
    cost.flops = positions;
    cost.bytes = bytes_moved(scan, shape_);
    const double merging = scan.out.back() == along
                               ? positions * kElementOfLineSeconds
                               : positions * static_cast<double>(size_of(plan_.loop.type)) / 4 /
                                     rates.steps_per_second;
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

OrRefusal<ScanPlan> plan_scan(const expr::TileProgram& program, const CallShape& shape,
                              const Context& context) {
  return ScanPlanner(shape, context).run(program);
}

}  // namespace tessera::kernels
