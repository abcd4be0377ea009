#include "kernels/cpu/staged/staged_plan.h"

#include <algorithm>
#include <utility>

#include "base/overload.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

bool is_inside(const expr::Boundary& outside) {
  return outside == expr::Boundary(expr::Inside{});
}

/// The node whose value an index is; -1 for an index of labels.
int32_t gathered_node(const expr::Index& index) {
  int32_t found = -1;
  expr::for_each_node(index, [&](int32_t node) { found = node; });
  return found;
}

/// An index and what it is divided by.
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
    plan_.workspace_bytes =
        plan_.kernel_offset +
        std::max(plan_.kernel.workspace_bytes, plan_.shorter ? plan_.shorter->workspace_bytes : 0);
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

  /// The body over staged operands, without the tables that gathers alone read.
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

  /// How an access reads, where it is needed, its operand once that is staged.
  OrRefusal<expr::Access> read_access(const expr::Access& access, DType dtype,
                                      const expr::Scalar& body) {
    const bool is_gathered =
        std::any_of(access.index.begin(), access.index.end(),
                    [](const expr::Index& index) { return gathered_node(index) >= 0; });
    return is_gathered ? read_gathered(access, dtype, body) : read_framed(access, dtype);
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
    Gathered gathered{{}, {}, access.index, access.index.size(), {}, {}};
    for (size_t mode = 0; mode < access.index.size(); ++mode) {
      if (const int32_t number = gathered_node(access.index[mode]); number >= 0) {
        const expr::Node& node = body.nodes[static_cast<size_t>(number)];
        const auto* table = std::get_if<expr::Access>(&node.op);
        if (gathered.mode != access.index.size() || table == nullptr || !is_regular(*table)) {
          return Refusal{"it gathers one mode at the elements of a table"};
        }
        gathered.mode = mode;
        gathered.table = *table;
        gathered.table_read = expr::scalar_of(*table, node.dtype);
        gathered.outside = expr::boundary_of(access.index[mode]);
      } else if (!expr::is_plain_or_fixed(access.index[mode])) {
        return Refusal{"it reads what it gathers at labels"};
      }
    }
    add_labels(gathered.labels, gathered.table.index);
    add_labels(gathered.labels, gathered.index);
    if (!is_inside(gathered.outside) && compute_type(dtype) != dtype) {
      return Refusal{"it puts no border around f16 and bf16"};
    }
    expr::Access read{plan_.num_inputs + static_cast<int32_t>(plan_.staged.size()), {}};
    for (const LabelNumber label : gathered.labels) {
      read.index.push_back(expr::plain(label));
    }
    if (read.index.size() > kMostModes) {
      return Refusal{"what it gathers has too many labels"};
    }
    plan_.staged.push_back({access.operand, dtype, 0, std::move(gathered)});
    return read;
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

  static int64_t bytes_of(const StagedPlan::Operand& operand, const std::vector<LabelRange>& band) {
    int64_t elements = 1;
    std::visit(Overload{[&](const Framed& framed) {
                          for (size_t mode = 0; mode < framed.outside.size(); ++mode) {
                            elements *= span_of(framed.readings, mode, band).length;
                          }
                        },
                        [&](const Gathered& gathered) {
                          for (const LabelNumber label : gathered.labels) {
                            elements *= band[static_cast<size_t>(label)].length;
                          }
                        }},
               operand.as);
    return aligned_bytes(elements * size_of(operand.dtype));
  }

  int64_t all_bytes(int64_t length) const {
    const std::vector<LabelRange> band = band_of(length);
    int64_t bytes = 0;
    for (const StagedPlan::Operand& operand : plan_.staged) {
      bytes += bytes_of(operand, band);
    }
    return bytes;
  }

  /// As many positions of the first label of the result that has several as half of the cache
  /// holds; all, where the copies are the same for each of them.
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
    OrRefusal<Choice> full = choice_for(plan_.band_length);
    OrRefusal<Choice> last = choice_for(rest == 0 ? plan_.band_length : rest);
    if (!full || !last) {
      return full ? last.refusal() : full.refusal();
    }
    plan_.kernel = std::move(full->plan);
    if (rest != 0) {
      plan_.shorter = std::move(last->plan);
    }
    set_cost(static_cast<double>(whole) / static_cast<double>(plan_.band_length));
    return std::nullopt;
  }

  OrRefusal<Choice> choice_for(int64_t length) const {
    return cheapest(plan_.program, {band_of(length), shape_.accumulate}, context_);
  }

  void set_cost(double bands) {
    const double copied = bands * static_cast<double>(plan_.kernel_offset);
    plan_.cost = plan_.kernel.cost;
    plan_.cost.flops *= bands;
    plan_.cost.bytes = bands * plan_.cost.bytes + copied;
    plan_.cost.seconds =
        bands * plan_.cost.seconds + copied / context_.machine.rates.bytes_per_second;
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
