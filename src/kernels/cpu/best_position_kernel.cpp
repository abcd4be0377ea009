#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/context.h"
#include "kernels/registry.h"

// argmax and argmin along one label: a row is read twice while it is in cache, once for the best
// value and whether there is a NaN, once for the first place that has it. Both passes are plain
// loops over lanes that compilers vectorise; the general evaluator merges (value, position) pairs
// with a dozen block functions instead.

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

constexpr int64_t kLanes = 32;

/// What the kernel reads from a program: which mode of the operand is reduced.
struct BestPosition {
  bool largest = true;
  DType dtype = DType::f32;
  size_t operand = 0;  // among the inputs
  size_t reduced_mode = 0;
  std::vector<size_t> mode_of_out;         // of the operand, per label of the result
  std::vector<LabelNumber> label_of_mode;  // of the operand
};

const expr::Access* only_access(const expr::Scalar& body) {
  return body.nodes.size() == 1 ? std::get_if<expr::Access>(&body.nodes[0].op) : nullptr;
}

bool is_position_along(const expr::Scalar& body, LabelNumber label) {
  const auto* index =
      body.nodes.size() == 1 ? std::get_if<expr::IndexOf>(&body.nodes[0].op) : nullptr;
  return index != nullptr && index->label == label;
}

/// The mode of the operand that a label reads, if it reads exactly one, plainly.
std::optional<size_t> mode_of(const expr::Access& access, LabelNumber label) {
  std::optional<size_t> found;
  for (size_t mode = 0; mode < access.index.size(); ++mode) {
    const std::optional<LabelNumber> own = expr::plain_label(access.index[mode]);
    if (!own) {
      return std::nullopt;
    }
    if (*own == label) {
      if (found) {
        return std::nullopt;
      }
      found = mode;
    }
  }
  return found;
}

bool has_code(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::i32 || dtype == DType::i64;
}

/// Of which extremum a monoid keeps the first position, as the aggregate of its name does.
expr::Extremum extremum_of(const expr::Monoid& monoid, const expr::AggregateRegistry& aggregates) {
  const expr::Aggregate* const aggregate = aggregates.find(monoid.name);
  const bool is_it = aggregate != nullptr && aggregate->position_of != expr::Extremum::none &&
                     has_code(monoid.state[0]) && aggregate->bind(monoid.state[0]).monoid == monoid;
  return is_it ? aggregate->position_of : expr::Extremum::none;
}

OrRefusal<BestPosition> best_position_of(const expr::TileProgram& program, const CallShape& shape,
                                         const expr::AggregateRegistry& aggregates) {
  const expr::TileStatement& statement = program.statements[0];
  const expr::Reduce* reduce = expr::reduction_of(statement);
  const expr::Extremum extremum =
      reduce != nullptr ? extremum_of(reduce->monoid, aggregates) : expr::Extremum::none;
  if (extremum == expr::Extremum::none || reduce->over.size() != 1) {
    return Refusal{"it is no argmax or argmin of f32, f64, i32 or i64 along one label"};
  }
  const expr::Access* access = only_access(statement.bodies[0]);
  if (access == nullptr || !is_position_along(statement.bodies[1], reduce->over[0])) {
    return Refusal{"the element is not read as it is"};
  }
  BestPosition what;
  what.largest = extremum == expr::Extremum::largest;
  what.dtype = statement.bodies[0].dtype();
  what.operand = static_cast<size_t>(access->operand);
  const std::optional<size_t> reduced = mode_of(*access, reduce->over[0]);
  if (!reduced || shape.ranges[static_cast<size_t>(reduce->over[0])].length == 0) {
    return Refusal{"the label is not read by one mode, or has no elements"};
  }
  what.reduced_mode = *reduced;
  for (const LabelNumber label : statement.out) {
    const std::optional<size_t> mode = mode_of(*access, label);
    if (!mode) {
      return Refusal{"a label of the result is not read by one mode"};
    }
    what.mode_of_out.push_back(*mode);
  }
  if (access->index.size() != statement.out.size() + 1 || access->index.size() > kMostModes) {
    return Refusal{"a mode is read by a label that is neither kept nor reduced"};
  }
  for (const expr::Index& index : access->index) {
    what.label_of_mode.push_back(*expr::plain_label(index));
  }
  return what;
}

template <class T>
struct Best {
  T value;
  int64_t position;
};

template <bool kLargest, class T>
bool is_better(T value, T than) {
  return kLargest ? value > than : value < than;
}

/// Whether `found` comes before `held`: a NaN before any number, a better value before a worse one,
/// then the place.
template <bool kLargest, class T>
bool comes_first(const Best<T>& found, const Best<T>& held) {
  const bool found_nan = found.value != found.value;
  const bool held_nan = held.value != held.value;
  if (found_nan != held_nan) {
    return found_nan;
  }
  return is_better<kLargest>(found.value, held.value) ||
         ((found_nan || found.value == held.value) && found.position < held.position);
}

/// The first place of a row that satisfies the predicate; REQUIRES there is one.
template <class T, class Predicate>
int64_t first_place(const T* row, int64_t length, Predicate holds) {
  int64_t start = 0;
  for (; start + kLanes <= length; start += kLanes) {
    unsigned any = 0;
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      any |= static_cast<unsigned>(holds(row[start + lane]));
    }
    if (any != 0) {
      break;
    }
  }
  while (!holds(row[start])) {
    ++start;
  }
  return start;
}

template <bool kLargest, class T>
Best<T> best_of_row(const T* row, int64_t length) {
  std::array<T, kLanes> best;
  std::array<T, kLanes> nan_seen{};  // stays 0 unless a NaN is added
  best.fill(row[0]);
  int64_t start = 0;
  for (; start + kLanes <= length; start += kLanes) {
    for (size_t lane = 0; lane < static_cast<size_t>(kLanes); ++lane) {
      const T value = row[start + static_cast<int64_t>(lane)];
      best[lane] = is_better<kLargest>(value, best[lane]) ? value : best[lane];
      nan_seen[lane] = value != value ? value : nan_seen[lane];
    }
  }
  T value = best[0];
  bool has_nan = row[0] != row[0];
  for (size_t lane = 0; lane < static_cast<size_t>(kLanes); ++lane) {
    value = is_better<kLargest>(best[lane], value) ? best[lane] : value;
    has_nan = has_nan || nan_seen[lane] != nan_seen[lane];
  }
  for (; start < length; ++start) {
    value = is_better<kLargest>(row[start], value) ? row[start] : value;
    has_nan = has_nan || row[start] != row[start];
  }
  const int64_t place = has_nan ? first_place(row, length, [](T x) { return x != x; })
                                : first_place(row, length, [value](T x) { return x == value; });
  return {row[place], place};
}

template <bool kLargest, class T>
Best<T> best_of_strided(const T* row, int64_t length, int64_t stride) {
  Best<T> best{row[0], 0};
  for (int64_t place = 1; place < length; ++place) {
    const Best<T> next{row[place * stride], place};
    best = comes_first<kLargest>(next, best) ? next : best;
  }
  return best;
}

class PreparedBestPosition : public PreparedKernel {
 public:
  PreparedBestPosition(BestPosition what, LabelNumber over) : what_(std::move(what)), over_(over) {}

  Status run(const KernelCall& call) const noexcept override {
    switch (what_.dtype) {
      case DType::f32:
        return run_typed<float>(call);
      case DType::f64:
        return run_typed<double>(call);
      case DType::i32:
        return run_typed<int32_t>(call);
      default:
        return run_typed<int64_t>(call);
    }
  }

 private:
  template <class T>
  Status run_typed(const KernelCall& call) const noexcept {
    return what_.largest ? run_rows<true, T>(call) : run_rows<false, T>(call);
  }

  template <bool kLargest, class T>
  Status run_rows(const KernelCall& call) const noexcept {
    const TileView& input = call.inputs[what_.operand];
    T* const values = call.outputs[0].as<T>();
    int64_t* const positions = call.outputs[1].as<int64_t>();
    const LabelRange range = call.ranges[static_cast<size_t>(over_)];
    const int64_t stride = input.strides[what_.reduced_mode];
    const int64_t rows = num_elements(call.outputs[0].shape);
    std::array<int64_t, kMostModes> at{};  // per label of the result
    const T* row = input.as<T>() + first_offset(call);
    for (int64_t number = 0; number < rows; ++number) {
      Best<T> best = stride == 1 ? best_of_row<kLargest>(row, range.length)
                                 : best_of_strided<kLargest>(row, range.length, stride);
      best.position += range.begin;
      if (!call.accumulate || comes_first<kLargest>(best, {values[number], positions[number]})) {
        values[number] = best.value;
        positions[number] = best.position;
      }
      row += step_to_next(input, call.outputs[0].shape, at);
    }
    return Status::ok;
  }

  /// Where in the operand's tile, which may hold more, the call begins.
  int64_t first_offset(const KernelCall& call) const noexcept {
    const TileView& input = call.inputs[what_.operand];
    int64_t offset = 0;
    for (size_t mode = 0; mode < what_.label_of_mode.size(); ++mode) {
      const LabelRange range = call.ranges[static_cast<size_t>(what_.label_of_mode[mode])];
      offset += (range.begin - input.origin[mode]) * input.strides[mode];
    }
    return offset;
  }

  /// How far the next row of the result is, counting its labels up like an odometer.
  int64_t step_to_next(const TileView& input, std::span<const int64_t> out,
                       std::array<int64_t, kMostModes>& at) const noexcept {
    int64_t step = 0;
    for (size_t label = out.size(); label-- > 0;) {
      const int64_t stride = input.strides[what_.mode_of_out[label]];
      if (++at[label] < out[label]) {
        return step + stride;
      }
      step -= stride * (out[label] - 1);
      at[label] = 0;
    }
    return step;
  }

  BestPosition what_;
  LabelNumber over_;
};

Cost cost_of(const BestPosition& what, const CallShape& shape, const KernelRates& rates) {
  double elements = 1;
  for (const LabelRange& range : shape.ranges) {
    elements *= static_cast<double>(range.length);
  }
  const bool contiguous = what.reduced_mode + 1 == what.label_of_mode.size();
  Cost cost;
  cost.flops = 2 * elements;
  cost.bytes = elements * static_cast<double>(size_of(what.dtype));
  cost.seconds = rates.call_seconds + cost.bytes / rates.bytes_per_second +
                 (contiguous ? 0 : elements * rates.one_by_one_seconds);
  return cost;
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  OrRefusal<BestPosition> what = best_position_of(program, shape, context.aggregates);
  if (!what) {
    return what.refusal();
  }
  return KernelPlan{cost_of(*what, shape, context.machine.rates), 0,
                    [what = *what, over = expr::reduced_labels(program.statements[0])[0]] {
                      return std::make_shared<const PreparedBestPosition>(what, over);
                    }};
}

}  // namespace

void register_kernel_best_position(Registry& registry);

void register_kernel_best_position(Registry& registry) {
  registry.add({"best_position", {}, &read});
}

}  // namespace tessera::kernels
