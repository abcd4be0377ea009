#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "kernels/cpu/block_accumulator.h"
#include "kernels/cpu/block_machine.h"
#include "kernels/cpu/calibration.h"
#include "kernels/cpu/iteration_space.h"
#include "kernels/cpu/row_reduction.h"
#include "kernels/registry.h"
#include "kernels/workspace.h"

/// blocked_evaluator: runs any statement over blocks of kBlock elements, one block function per
/// node.
///
/// The labels are simplified (iteration_space.h), a block is chosen (block_shape.h), and a loop
/// walks blocks over the kept labels and, for each, over the reduced ones. Of a reduction every
/// kept block is finished before the next: lanes by a BlockAccumulator, rows by a RowAccumulator.
namespace tessera::kernels {

namespace {

/// Walks the blocks of a space: labels [first, last), every stream's origin kept up to date.
class BlockLoop {
 public:
  BlockLoop(const IterationSpace& space, const BlockShape& block, int first, int last)
      : space_(space), first_(first), last_(last) {
    std::fill(stride_.begin() + first, stride_.begin() + last, 1);
    std::fill(dim_.begin() + first, dim_.begin() + last, -1);
    for (int dim = 0; dim < block.num_dims; ++dim) {
      const auto label = static_cast<size_t>(block.label[static_cast<size_t>(dim)]);
      stride_[label] = block.extent[static_cast<size_t>(dim)];
      dim_[label] = dim;
    }
  }

  /// Goes to the first block. REQUIRES no label of length 0.
  void start(BlockShape& block) {
    for (int label = first_; label < last_; ++label) {
      position_[static_cast<size_t>(label)] = 0;
      cut(block, static_cast<size_t>(label));
    }
  }

  /// Goes to the next block; false after the last, with the origins where they were at the start.
  bool advance(BlockShape& block, int64_t* origins) {
    for (int label = last_ - 1; label >= first_; --label) {
      const auto number = static_cast<size_t>(label);
      const bool goes_on = position_[number] + stride_[number] < space_.length[number];
      const int64_t moved = goes_on ? stride_[number] : -position_[number];
      position_[number] += moved;
      for (int stream = 0; moved != 0 && stream < space_.num_streams; ++stream) {
        origins[stream] += moved * space_.streams[static_cast<size_t>(stream)].step[number];
      }
      cut(block, number);
      if (goes_on) {
        return true;
      }
    }
    return false;
  }

 private:
  /// The last block of a label may be shorter.
  void cut(BlockShape& block, size_t label) {
    if (dim_[label] >= 0) {
      block.extent[static_cast<size_t>(dim_[label])] =
          std::min(stride_[label], space_.length[label] - position_[label]);
    }
  }

  const IterationSpace& space_;
  int first_;
  int last_;
  std::array<int64_t, kMaxLabels> stride_;
  std::array<int64_t, kMaxLabels> position_;
  std::array<int, kMaxLabels> dim_;
};

class BlockedEvaluator : public PreparedKernel {
 public:
  BlockedEvaluator(const expr::TileProgram& program, const CallShape& shape, std::string& reason)
      : statement_(program.statements[0]), program_(statement_.bodies, best_isa(), reason) {
    if (statement_.reduce && reason.empty()) {
      reduction_.emplace(*statement_.reduce, best_isa(), reason);
      rows_.emplace(*statement_.reduce, best_isa());
    }
    int64_t num_positions = 1;
    for (const expr::LabelNumber label : statement_.over) {
      num_positions *= shape.ranges[static_cast<size_t>(label)].length;
    }
    num_blocks_ = num_positions;
    const size_t num_streams = program_.streams().size() + statement_.bodies.size();
    if (num_streams > static_cast<size_t>(kMaxStreams)) {
      reason = fmt::format("it walks {} different accesses and outputs, more than {}", num_streams,
                           kMaxStreams);
    }
  }

  int64_t workspace_bytes() const override {
    return kStagingBytes + program_.buffer_bytes() + result_bytes() +
           (reduction_ ? BlockAccumulator::workspace_bytes(*reduction_, num_blocks_) : 0) +
           (has_folds() ? rows_->workspace_bytes(num_blocks_) : 0);
  }

  Status run(const KernelCall& call) const noexcept override;

 private:
  static constexpr int64_t kStagingBytes = kBlock * 2;

  struct Run;
  /// Buffers for outputs that are merged into.
  int64_t result_bytes() const {
    int64_t bytes = 0;
    for (const expr::Scalar& body : statement_.bodies) {
      bytes += aligned_bytes(kBlock * size_of(compute_type(body.dtype())));
    }
    return bytes;
  }
  Status lay_out(const KernelCall& call, IterationSpace& space) const noexcept;
  bool has_folds() const { return rows_ && rows_->has_folds(); }

  expr::TileStatement statement_;
  BlockProgram program_;
  std::optional<BlockReduction> reduction_;
  std::optional<RowReduction> rows_;  // beside it; used where it has folds
  int64_t num_blocks_ = 0;            // at most, of one result
};

/// What one call keeps while it runs.
struct BlockedEvaluator::Run {
  const BlockedEvaluator& evaluator;
  const KernelCall& call;
  IterationSpace space;
  BlockShape block;
  int num_inputs = 0;  // streams [0, num_inputs) are read, the outputs follow
  std::array<int64_t, kMaxStreams> origins;
  std::array<BlockView, kMaxStreams> views;
  uint16_t* staging = nullptr;
  std::byte* before = nullptr;
  BlockMachine machine;
  BlockAccumulator accumulator;
  RowAccumulator rows;

  Run(const BlockedEvaluator& of, const KernelCall& with)
      : evaluator(of), call(with), num_inputs(static_cast<int>(of.program_.streams().size())) {}

  void set_up();
  void look(int64_t count, int64_t out_count);
  Status compute(void* target) {
    return machine.run(views.data(), views[0].count, target, staging);
  }
  Status map();
  Status reduce();
  Status reduce_block(BlockLoop& loop);
  Status compute_states(int64_t count, std::array<const void*, kMaxStates>& states);
  std::array<void*, kMaxStates> row_targets() const;
  Status reduce_rows();
  Status reduce_row(BlockLoop& loop, void* const* targets);
  Status store_results(int64_t count);
};

Status BlockedEvaluator::lay_out(const KernelCall& call, IterationSpace& space) const noexcept {
  space = space_of(statement_, call.ranges);
  for (const auto& stream : program_.streams()) {
    if (const auto* access = std::get_if<expr::Access>(&stream)) {
      const TileView& view = call.inputs[static_cast<size_t>(access->operand)];
      if (const Status status = add_access(space, statement_, *access, view, call.ranges);
          status != Status::ok) {
        return status;
      }
    } else {
      add_index(space, statement_, std::get<expr::IndexOf>(stream).label, call.ranges);
    }
  }
  for (const TileView& output : call.outputs) {
    add_output(space, output);
  }
  simplify(space);
  return Status::ok;
}

void BlockedEvaluator::Run::set_up() {
  block = choose_block(space, evaluator.has_folds());
  std::array<bool, kMaxStreams> uniform;
  for (int number = 0; number < space.num_streams; ++number) {
    const auto stream = static_cast<size_t>(number);
    origins[stream] = space.streams[stream].origin;
    const bool is_input = number < num_inputs;
    views[stream] = {&space.streams[stream],
                     &block,
                     is_input ? block.num_dims : block.num_out_dims,
                     0,
                     0,
                     is_input ? 0 : block.first_out_dim};
    uniform[stream] = is_uniform(views[stream]);
  }
  std::byte* memory = call.workspace;
  staging = reinterpret_cast<uint16_t*>(memory);
  memory += kStagingBytes;
  before = memory;
  memory += evaluator.result_bytes();
  machine.bind(evaluator.program_, uniform.data(), memory);
  memory += evaluator.program_.buffer_bytes();
  if (evaluator.reduction_) {
    accumulator.bind(*evaluator.reduction_, memory);
    memory += BlockAccumulator::workspace_bytes(*evaluator.reduction_, evaluator.num_blocks_);
  }
  if (evaluator.has_folds()) {
    rows.bind(*evaluator.rows_, memory);
  }
}

/// Points the views at the block that the loops have reached.
void BlockedEvaluator::Run::look(int64_t count, int64_t out_count) {
  for (int number = 0; number < space.num_streams; ++number) {
    const auto stream = static_cast<size_t>(number);
    views[stream].origin = origins[stream];
    views[stream].count = number < num_inputs ? count : out_count;
  }
}

Status BlockedEvaluator::Run::map() {
  BlockLoop loop(space, block, 0, space.num_labels);
  loop.start(block);
  const auto last_output = static_cast<size_t>(space.num_streams - 1);
  do {
    const int64_t count = block.count();
    look(count, count);
    void* const target = machine.takes_target() ? in_place(views[last_output]) : nullptr;
    if (const Status status = machine.run(views.data(), count, target, staging);
        status != Status::ok) {
      return status;
    }
    for (size_t output = 0; output < call.outputs.size(); ++output) {
      const void* const result = machine.result(output);
      if (result != target) {
        store_block(views[static_cast<size_t>(num_inputs) + output], result, staging);
      }
    }
  } while (loop.advance(block, origins.data()));
  return Status::ok;
}

Status BlockedEvaluator::Run::reduce_block(BlockLoop& loop) {
  loop.start(block);
  accumulator.begin(block.count(), block.out_lanes());
  const bool is_empty = space.is_empty();
  std::array<const void*, kMaxStates> states;
  bool goes_on = !is_empty;
  while (goes_on) {
    const int64_t count = block.count();
    look(count, block.out_lanes());
    Status status = machine.run(views.data(), count, nullptr, staging);
    for (size_t state = 0; state < accumulator.num_states(); ++state) {
      states[state] = machine.result(state);
    }
    status = status == Status::ok ? accumulator.add(states.data(), count) : status;
    if (status != Status::ok) {
      return status;
    }
    goes_on = loop.advance(block, origins.data());
  }
  return accumulator.finish();
}

Status BlockedEvaluator::Run::store_results(int64_t count) {
  look(count, count);
  if (call.accumulate) {
    std::array<const void*, kMaxStates> earlier;
    std::byte* buffer = before;
    for (size_t state = 0; state < accumulator.num_states(); ++state) {
      const BlockView& view = views[static_cast<size_t>(num_inputs) + state];
      load_block(view, buffer, staging);
      earlier[state] = buffer;
      buffer += aligned_bytes(kBlock * size_of(compute_type(view.stream->dtype)));
    }
    if (const Status status = accumulator.merge_before(earlier.data(), count);
        status != Status::ok) {
      return status;
    }
  }
  for (size_t state = 0; state < accumulator.num_states(); ++state) {
    store_block(views[static_cast<size_t>(num_inputs) + state], accumulator.state(state), staging);
  }
  return Status::ok;
}

Status BlockedEvaluator::Run::reduce() {
  BlockLoop results(space, block, 0, space.num_out);
  BlockLoop reduced(space, block, space.num_out, space.num_labels);
  results.start(block);
  do {
    Status status = reduce_block(reduced);
    status = status == Status::ok ? store_results(block.out_lanes()) : status;
    if (status != Status::ok) {
      return status;
    }
  } while (results.advance(block, origins.data()));
  return Status::ok;
}

/// The block's states, where they lie if nothing is computed.
Status BlockedEvaluator::Run::compute_states(int64_t count,
                                             std::array<const void*, kMaxStates>& states) {
  const BlockProgram& program = evaluator.program_;
  bool are_stored = true;
  for (size_t state = 0; state < accumulator.num_states(); ++state) {
    const auto& from = program.values()[static_cast<size_t>(program.results()[state])].from;
    states[state] = nullptr;
    if (const auto* stream = std::get_if<BlockProgram::FromStream>(&from)) {
      states[state] = dense_at(views[static_cast<size_t>(stream->stream)]);
    } else if (const auto* constant = std::get_if<BlockProgram::FromConstant>(&from)) {
      states[state] = constant->buffer;
    }
    are_stored = are_stored && states[state] != nullptr;
  }
  if (are_stored) {
    return Status::ok;
  }
  const Status status = machine.run(views.data(), count, nullptr, staging);
  for (size_t state = 0; state < accumulator.num_states(); ++state) {
    states[state] = machine.result(state);
  }
  return status;
}

/// Where the results of the rows go: straight into the outputs, if all can be written there.
std::array<void*, kMaxStates> BlockedEvaluator::Run::row_targets() const {
  std::array<void*, kMaxStates> targets;
  bool are_outputs = !call.accumulate;
  for (size_t state = 0; state < accumulator.num_states(); ++state) {
    targets[state] = dense_at(views[static_cast<size_t>(num_inputs) + state]);
    are_outputs = are_outputs && targets[state] != nullptr;
  }
  for (size_t state = 0; !are_outputs && state < accumulator.num_states(); ++state) {
    targets[state] = accumulator.state(state);
  }
  return targets;
}

/// One row in several blocks, or in none.
Status BlockedEvaluator::Run::reduce_row(BlockLoop& loop, void* const* targets) {
  std::array<const void*, kMaxStates> states;
  rows.begin();
  for (bool goes_on = !space.is_empty(); goes_on;) {
    const int64_t count = block.count();
    look(count, 1);
    if (const Status status = compute_states(count, states); status != Status::ok) {
      return status;
    }
    rows.add(states.data(), count);
    goes_on = loop.advance(block, origins.data());
  }
  rows.finish(targets);
  return Status::ok;
}

Status BlockedEvaluator::Run::reduce_rows() {
  BlockLoop results(space, block, 0, space.num_out);
  BlockLoop reduced(space, block, space.num_out, space.num_labels);
  const int64_t part = block.count() / block.out_lanes();
  const bool has_whole_rows = part == space.num_reduced();
  std::array<const void*, kMaxStates> states;
  results.start(block);
  do {
    reduced.start(block);
    const int64_t num_rows = block.out_lanes();
    look(block.count(), num_rows);
    const std::array<void*, kMaxStates> targets = row_targets();
    Status status = Status::ok;
    if (has_whole_rows) {
      status = compute_states(block.count(), states);
      if (status == Status::ok) {
        rows.fold(states.data(), num_rows, part, targets.data());
      }
    } else {
      status = reduce_row(reduced, targets.data());
    }
    const bool is_stored = targets[0] != accumulator.state(0);
    status = status == Status::ok && !is_stored ? store_results(num_rows) : status;
    if (status != Status::ok) {
      return status;
    }
  } while (results.advance(block, origins.data()));
  return Status::ok;
}

Status BlockedEvaluator::run(const KernelCall& call) const noexcept {
  Run run(*this, call);
  if (const Status status = lay_out(call, run.space); status != Status::ok) {
    return status;
  }
  const auto kept = std::span(run.space.length).first(static_cast<size_t>(run.space.num_out));
  if (std::find(kept.begin(), kept.end(), 0) != kept.end()) {
    return Status::ok;
  }
  run.set_up();
  return !reduction_ ? run.map() : run.block.has_rows ? run.reduce_rows() : run.reduce();
}

/// Only one statement, only affine accesses, only functions that have block code.
std::string refuses(const expr::TileProgram& program, const CallShape& shape) {
  if (program.statements.size() != 1) {
    return fmt::format("it runs one statement, the program has {}", program.statements.size());
  }
  if (shape.accumulate && !program.statements[0].reduce) {
    return "there is no aggregate to accumulate with";
  }
  if (program.labels.size() > static_cast<size_t>(kMaxLabels)) {
    return fmt::format("the program has {} labels, more than {}", program.labels.size(),
                       kMaxLabels);
  }
  std::string reason;
  const BlockedEvaluator evaluator(program, shape, reason);
  return reason;
}

double positions_of(const std::vector<expr::LabelNumber>& labels, const CallShape& shape) {
  double positions = 1;
  for (const expr::LabelNumber label : labels) {
    positions *= static_cast<double>(shape.ranges[static_cast<size_t>(label)].length);
  }
  return positions;
}

/// Seconds for one function of one element of `width` times 4 bytes.
double seconds_of_step(const std::string& function, double width) {
  static constexpr const char* kFast[] = {
      "add",    "subtract",    "multiply",   "negative",    "abs",     "maximum",       "minimum",
      "equal",  "not_equal",   "less",       "less_equal",  "greater", "greater_equal", "where",
      "square", "logical_and", "logical_or", "logical_not", "relu",    "isnan"};
  static constexpr const char* kOneByOne[] = {"power", "remainder", "fmod", "floor_divide",
                                              "hypot"};
  const auto is_in = [&](const auto& some) {
    return std::any_of(std::begin(some), std::end(some),
                       [&](const char* name) { return function == name; });
  };
  return is_in(kOneByOne) ? calibration::kOneByOneSeconds
         : is_in(kFast)   ? width / calibration::kStepsPerSecond
                          : width / calibration::kSlowStepsPerSecond;
}

/// The widest of a node's result and arguments decides how many elements a vector has.
double width_of(const expr::Scalar& body, const expr::Node& node) {
  int64_t bytes = size_of(compute_type(node.dtype));
  if (const auto* call = std::get_if<expr::Call>(&node.op)) {
    for (const int32_t argument : call->arguments) {
      bytes =
          std::max(bytes, size_of(compute_type(body.nodes[static_cast<size_t>(argument)].dtype)));
    }
  }
  return static_cast<double>(bytes) / 4;
}

double seconds_per_element(const expr::Scalar& body) {
  double seconds = 0;
  for (const expr::Node& node : body.nodes) {
    const double width = width_of(body, node);
    if (const auto* call = std::get_if<expr::Call>(&node.op)) {
      seconds += seconds_of_step(call->function, width);
    } else if (std::holds_alternative<expr::Cast>(node.op) ||
               std::holds_alternative<expr::IndexOf>(node.op)) {
      seconds += width / calibration::kStepsPerSecond;
    }
  }
  return seconds;
}

/// Whether an operand is read across the order in which a result without `reduce` is written.
bool is_transposed(const expr::TileStatement& statement, const expr::Access& access) {
  if (statement.reduce || statement.out.empty() || access.index.empty()) {
    return false;
  }
  const auto walks_innermost = [&](const expr::AffineIndex& index) {
    return !index.terms.empty() && index.terms[0].label == statement.out.back();
  };
  return !walks_innermost(access.index.back()) &&
         std::any_of(access.index.begin(), access.index.end(), walks_innermost);
}

int64_t num_calls(const expr::Scalar& body) {
  return std::count_if(body.nodes.begin(), body.nodes.end(), [](const expr::Node& node) {
    return std::holds_alternative<expr::Call>(node.op);
  });
}

Cost cost(const expr::TileProgram& program, const CallShape& shape) {
  const expr::TileStatement& statement = program.statements[0];
  const double results = positions_of(statement.out, shape);
  const double positions = results * positions_of(statement.over, shape);
  Cost cost;
  double seconds = 0;
  for (const expr::Scalar& body : statement.bodies) {
    cost.flops += positions * static_cast<double>(num_calls(body));
    seconds += positions * seconds_per_element(body);
    cost.bytes += results * static_cast<double>(size_of(body.dtype()));
    for (const expr::Access* access : expr::accesses_of(body)) {
      double elements = 1;
      for (const expr::AffineIndex& index : access->index) {
        elements *= index.terms.empty() ? 1 : positions_of({index.terms[0].label}, shape);
      }
      cost.bytes += elements * static_cast<double>(size_of(body.dtype()));
      if (is_transposed(statement, *access)) {
        seconds += positions * calibration::kTransposedElementSeconds;
      }
    }
  }
  if (statement.reduce) {
    for (const expr::Scalar& combine : statement.reduce->combine) {
      cost.flops += positions * static_cast<double>(num_calls(combine));
      seconds += positions * seconds_per_element(combine);
    }
    seconds += (results / static_cast<double>(kBlock) + 1) * calibration::kFoldSeconds;
  }
  seconds += (positions / static_cast<double>(kBlock) + 1) * calibration::kBlockSeconds;
  cost.seconds = calibration::kCallSeconds + seconds + cost.bytes / calibration::kBytesPerSecond;
  return cost;
}

std::unique_ptr<PreparedKernel> prepare(const expr::TileProgram& program, const CallShape& shape) {
  std::string reason;
  return std::make_unique<BlockedEvaluator>(program, shape, reason);
}

}  // namespace

void register_kernel_blocked_evaluator(Registry& registry);

void register_kernel_blocked_evaluator(Registry& registry) {
  registry.add({"blocked_evaluator", &refuses, &cost, &prepare});
}

}  // namespace tessera::kernels
