#include "kernels/cpu/staged/staged_plan.h"

#include <algorithm>
#include <utility>

#include "base/overload.h"
#include "expr/scalar_part.h"
#include "kernels/cpu/cost/overlap.h"
#include "kernels/cpu/staged/copies.h"
#include "kernels/cpu/staged/gather_cost.h"
#include "kernels/cpu/staged/gathering.h"
#include "kernels/cpu/staged/wrapping.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

bool is_inside(const expr::Boundary& outside) {
  return outside == expr::Boundary(expr::Inside{});
}

/// Returns the node whose value an index is; -1 for an index of labels.
int32_t gathered_node(const expr::Index& index) {
  int32_t found = -1;
  expr::for_each_node(index, [&](int32_t node) { found = node; });
  return found;
}

/// An index and its divisor.
struct OpenIndex {
  expr::Index index;  // without boundary and divisor
  int64_t divisor = 1;
};

/// REQUIRES that the index is not gathered.
OpenIndex opened(const expr::Index& index) {
  return std::visit(
      Overload{[&](const Among<expr::PlainIndex, expr::FixedIndex, expr::GatheredIndex> auto&) {
                 return OpenIndex{index};
               },
               [](const expr::AffineIndex& affine) {
                 return OpenIndex{expr::affine({affine.terms, affine.offset}), affine.divisor};
               }},
      index);
}

int64_t workspace_of(const KernelPlan& kernel, const std::optional<KernelPlan>& shorter) {
  return std::max(kernel.workspace_bytes, shorter ? shorter->workspace_bytes : 0);
}

class StagedPlanner {
 public:
  StagedPlanner(const CallShape& shape, const Context& context)
      : shape_(shape), context_(context) {}

  OrRefusal<StagedPlan> run(const expr::TileProgram& program) && {
    plan_.program = program;
    plan_.num_inputs = program.num_inputs;
    if (std::optional<Refusal> refusal = read_operands()) {
      return *refusal;
    }
    choose_band();
    if (std::optional<Refusal> refusal = choose_kernel()) {
      return *refusal;
    }
    plan_.workspace_bytes = plan_.kernel_offset + workspace_of(plan_.kernel, plan_.shorter);
    for (const StagedPlan::Operand& operand : plan_.staged) {
      if (const auto* computed = std::get_if<Computed>(&operand.as)) {
        plan_.workspace_bytes =
            std::max(plan_.workspace_bytes,
                     plan_.kernel_offset + workspace_of(computed->kernel, computed->shorter));
      }
    }
    return std::move(plan_);
  }

 private:
  std::optional<Refusal> read_operands() {
    for (const LabelRange& range : shape_.ranges) {
      if (range.length == 0) {
        return Refusal{"a label is empty"};
      }
    }
    for (expr::Scalar& body : plan_.program.statements[0].bodies) {
      if (std::optional<Refusal> refusal = read_body(body)) {
        return refusal;
      }
    }
    plan_.program.num_inputs += static_cast<int32_t>(plan_.staged.size());
    return plan_.staged.empty() ? std::optional(Refusal{"it reads at sums of labels alone"})
                                : std::nullopt;
  }

  /// Reads the body over staged operands, without the tables that gathers alone read.
  std::optional<Refusal> read_body(expr::Scalar& body) {
    expr::ScalarBuilder builder;
    std::vector<int32_t> where;
    for (const expr::Node& node : body.nodes) {
      expr::Node made = expr::with_arguments(node, where);
      if (const auto* access = std::get_if<expr::Access>(&node.op)) {
        OrRefusal<expr::Access> read = read_access(*access, node.dtype, body);
        if (!read) {
          return read.refusal();
        }
        made.op = std::move(*read);
      }
      where.push_back(builder.add(std::move(made)));
    }
    body = builder.finish(where.back());
    return std::nullopt;
  }

  /// Returns the access in the plan: of its operand, staged if that is needed.
  OrRefusal<expr::Access> read_access(const expr::Access& access, DType dtype,
                                      const expr::Scalar& body) {
    const bool is_gathered =
        std::any_of(access.index.begin(), access.index.end(),
                    [](const expr::Index& index) { return gathered_node(index) >= 0; });
    if (std::optional<Wrapped> wrapped = wrapped_of(access, body)) {
      std::vector<LabelNumber> labels = wrapped->labels;
      return read_copy(access.operand, dtype, std::move(*wrapped), labels);
    }
    return is_gathered ? read_gathered(access, dtype, body) : read_framed(access, dtype);
  }

  /// Returns the access of a copy that has a mode for each label.
  OrRefusal<expr::Access> read_copy(int32_t operand, DType dtype,
                                    std::variant<Framed, Gathered, Wrapped, Computed> as,
                                    const std::vector<LabelNumber>& labels) {
    expr::Access read{plan_.num_inputs + static_cast<int32_t>(plan_.staged.size()), {}};
    for (const LabelNumber label : labels) {
      read.index.push_back(expr::plain(label));
    }
    if (read.index.size() > kMostModes) {
      return Refusal{"what it gathers has too many labels"};
    }
    plan_.staged.push_back({operand, dtype, 0, std::move(as)});
    return read;
  }

  OrRefusal<expr::Access> read_framed(const expr::Access& access, DType dtype) {
    Framed wanted;
    std::vector<expr::Index> open;
    for (const expr::Index& index : access.index) {
      OpenIndex bare = opened(index);
      wanted.outside.push_back(expr::boundary_of(index));
      wanted.divisor.push_back(bare.divisor);
      open.push_back(std::move(bare.index));
    }
    if (std::all_of(wanted.outside.begin(), wanted.outside.end(), is_inside)) {
      return access;
    }
    if (compute_type(dtype) != dtype) {
      return Refusal{"it puts no border around f16 and bf16"};
    }
    const auto known = std::find_if(plan_.staged.begin(), plan_.staged.end(), [&](const auto& one) {
      const auto* framed = std::get_if<Framed>(&one.as);
      return framed != nullptr && one.operand == access.operand &&
             framed->outside == wanted.outside && framed->divisor == wanted.divisor;
    });
    const auto number = static_cast<size_t>(known - plan_.staged.begin());
    if (known == plan_.staged.end()) {
      plan_.staged.push_back({access.operand, dtype, 0, std::move(wanted)});
    }
    std::get<Framed>(plan_.staged[number].as).readings.push_back(open);
    return expr::Access{plan_.num_inputs + static_cast<int32_t>(number), std::move(open)};
  }

  OrRefusal<expr::Access> read_gathered(const expr::Access& access, DType dtype,
                                        const expr::Scalar& body) {
    Gathered gathered{{}, access.index, {}, context_.machine.isa};
    for (size_t mode = 0; mode < access.index.size(); ++mode) {
      const expr::Boundary& outside = expr::boundary_of(access.index[mode]);
      if (const int32_t node = gathered_node(access.index[mode]); node >= 0) {
        OrRefusal<expr::Access> table = table_of(body, node);
        if (!table) {
          return table.refusal();
        }
        add_labels(gathered.labels, table->index);
        gathered.modes.push_back({mode, std::move(*table), expr::part_of(body, node), outside});
      } else if (!expr::is_plain_or_fixed(access.index[mode])) {
        return Refusal{"it reads what it gathers at labels"};
      }
      if (!is_inside(outside) && compute_type(dtype) != dtype) {
        return Refusal{"it puts no border around f16 and bf16"};
      }
    }
    add_labels(gathered.labels, gathered.index);
    if (gathered.modes.size() > kMostGatheredModes) {
      return Refusal{"it gathers in too many modes"};
    }
    const std::vector<LabelNumber> labels = gathered.labels;
    return read_copy(access.operand, dtype, std::move(gathered), labels);
  }

  /// Returns the table of a node's positions: an input that is read, or a table that is computed
  /// first, once for all modes that are read at it.
  OrRefusal<expr::Access> table_of(const expr::Scalar& body, int32_t node) {
    const expr::Scalar position = expr::part_of(body, node);
    for (const expr::Access* access : expr::accesses_of(position)) {
      if (!is_regular(*access)) {
        return Refusal{"it gathers at what is read at labels"};
      }
    }
    if (const auto* table = std::get_if<expr::Access>(&position.nodes.back().op)) {
      return *table;
    }
    const std::vector<LabelNumber> labels =
        expr::labels_below(position, static_cast<int32_t>(position.nodes.size()) - 1);
    Computed computed{{plan_.program.labels, plan_.num_inputs, {{labels, {position}}}}, {}, {}};
    const auto known = std::find_if(plan_.staged.begin(), plan_.staged.end(), [&](const auto& one) {
      const auto* other = std::get_if<Computed>(&one.as);
      return other != nullptr && other->program == computed.program;
    });
    expr::Access table{plan_.num_inputs + static_cast<int32_t>(known - plan_.staged.begin()), {}};
    for (const LabelNumber label : labels) {
      table.index.push_back(expr::plain(label));
    }
    if (known == plan_.staged.end()) {
      plan_.staged.push_back({-1, position.dtype(), 0, std::move(computed)});
    }
    return table;
  }

  static bool is_regular(const expr::Access& access) {
    return std::all_of(access.index.begin(), access.index.end(), expr::is_plain_or_fixed);
  }

  static void add_labels(std::vector<LabelNumber>& labels, const std::vector<expr::Index>& index) {
    for (const expr::Index& one : index) {
      const std::optional<LabelNumber> label = expr::plain_label(one);
      if (label && std::find(labels.begin(), labels.end(), *label) == labels.end()) {
        labels.push_back(*label);
      }
    }
  }

  std::vector<LabelRange> band_of(int64_t length) const {
    std::vector<LabelRange> band = shape_.ranges;
    if (plan_.band_label) {
      band[static_cast<size_t>(*plan_.band_label)].length = length;
    }
    return band;
  }

  int64_t all_bytes(int64_t length) const {
    const std::vector<LabelRange> band = band_of(length);
    int64_t bytes = 0;
    for (const StagedPlan::Operand& operand : plan_.staged) {
      bytes += bytes_of(operand, band);
    }
    return bytes;
  }

  /// Chooses the band: as many positions of the result's first label with several as half of the
  /// cache holds; all, if the copies are the same for each of them.
  void choose_band() {
    for (const LabelNumber label : plan_.program.statements[0].out) {
      const int64_t length = shape_.ranges[static_cast<size_t>(label)].length;
      if (length > 1) {
        plan_.band_label = label;
        plan_.band_length = length;
        break;
      }
    }
    const bool is_copied_in_bands = all_bytes(1) < all_bytes(plan_.band_length);
    while (is_copied_in_bands && plan_.band_length > 1 &&
           all_bytes(plan_.band_length) > context_.machine.caches.core_bytes / 2) {
      plan_.band_length = (plan_.band_length + 1) / 2;
    }
    const std::vector<LabelRange> band = band_of(plan_.band_length);
    for (StagedPlan::Operand& operand : plan_.staged) {
      operand.offset = plan_.kernel_offset;
      plan_.kernel_offset += bytes_of(operand, band);
    }
  }

  std::optional<Refusal> choose_kernel() {
    const auto num_streams =
        static_cast<size_t>(plan_.program.num_inputs) + plan_.program.statements[0].bodies.size();
    if (std::optional<Refusal> refusal = too_many_streams(num_streams)) {
      return refusal;
    }
    const int64_t whole =
        plan_.band_label ? shape_.ranges[static_cast<size_t>(*plan_.band_label)].length : 1;
    const int64_t rest = whole % plan_.band_length;
    for (StagedPlan::Operand& operand : plan_.staged) {
      auto* computed = std::get_if<Computed>(&operand.as);
      std::optional<Refusal> refusal =
          computed == nullptr
              ? std::nullopt
              : choose_for(computed->program, false, rest, computed->kernel, computed->shorter);
      if (refusal) {
        return refusal;
      }
    }
    if (std::optional<Refusal> refusal =
            choose_for(plan_.program, shape_.accumulate, rest, plan_.kernel, plan_.shorter)) {
      return refusal;
    }
    set_cost(static_cast<double>(whole) / static_cast<double>(plan_.band_length));
    return std::nullopt;
  }

  /// Chooses the best kernel for a band, and for the last one, if that has a rest of positions.
  std::optional<Refusal> choose_for(const expr::TileProgram& program, bool accumulate, int64_t rest,
                                    KernelPlan& kernel, std::optional<KernelPlan>& shorter) const {
    OrRefusal<Choice> full = cheapest(program, {band_of(plan_.band_length), accumulate}, context_);
    if (!full) {
      return full.refusal();
    }
    kernel = std::move(full->plan);
    if (rest != 0) {
      OrRefusal<Choice> last = cheapest(program, {band_of(rest), accumulate}, context_);
      if (!last) {
        return last.refusal();
      }
      shorter = std::move(last->plan);
    }
    return std::nullopt;
  }

  /// Returns the bytes that copies move through memory. Gathered elements stay in the cache if a
  /// band fits it.
  int64_t copied_bytes() const {
    const std::vector<LabelRange> band = band_of(plan_.band_length);
    const bool stays = all_bytes(plan_.band_length) <= context_.machine.caches.core_bytes;
    int64_t bytes = 0;
    for (const StagedPlan::Operand& operand : plan_.staged) {
      if (stays && std::holds_alternative<Gathered>(operand.as)) {
        continue;
      }
      const auto* framed = std::get_if<Framed>(&operand.as);
      bytes +=
          framed == nullptr || leaves_operand(*framed, plan_.program) ? bytes_of(operand, band) : 0;
    }
    return bytes;
  }

  /// Returns the seconds to gather a band. Its tables are read from memory at the same time.
  double gathering_of_band() const {
    const std::vector<LabelRange> band = band_of(plan_.band_length);
    const KernelRates& rates = context_.machine.rates;
    double seconds = 0;
    for (const StagedPlan::Operand& operand : plan_.staged) {
      if (const auto* gathered = std::get_if<Gathered>(&operand.as)) {
        seconds += overlapped_seconds(gathering_seconds(*gathered, operand.dtype, band, rates),
                                      bytes_of_tables(*gathered, band) / rates.bytes_per_second);
      }
    }
    return seconds;
  }

  void set_cost(double bands) {
    const double copied = bands * static_cast<double>(copied_bytes());
    Cost band = plan_.kernel.cost;
    for (const StagedPlan::Operand& operand : plan_.staged) {
      if (const auto* computed = std::get_if<Computed>(&operand.as)) {
        band.flops += computed->kernel.cost.flops;
        band.bytes += computed->kernel.cost.bytes;
        band.seconds += computed->kernel.cost.seconds;
      }
    }
    plan_.cost = {bands * band.flops, bands * band.bytes + copied,
                  bands * (band.seconds + gathering_of_band()) +
                      copied / context_.machine.rates.bytes_per_second};
  }

  const CallShape& shape_;
  const Context& context_;
  StagedPlan plan_;
};

}  // namespace

LabelRange span_of(const std::vector<std::vector<expr::Index>>& readings, size_t mode,
                   std::span<const LabelRange> ranges) noexcept {
  int64_t lowest = 0;
  int64_t highest = 0;
  for (size_t reading = 0; reading < readings.size(); ++reading) {
    const std::optional<expr::Reach> reach = expr::reach_of(readings[reading][mode], ranges);
    const auto first = static_cast<int64_t>(reach->lowest);
    const auto last = static_cast<int64_t>(reach->highest);
    lowest = reading == 0 ? first : std::min(lowest, first);
    highest = reading == 0 ? last : std::max(highest, last);
  }
  return {lowest, highest - lowest + 1};
}

OrRefusal<StagedPlan> plan_staged(const expr::TileProgram& program, const CallShape& shape,
                                  const Context& context) {
  return StagedPlanner(shape, context).run(program);
}

}  // namespace tessera::kernels
