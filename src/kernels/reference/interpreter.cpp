#include "kernels/reference/interpreter.h"

#include <algorithm>

#include "base/error.h"
#include "kernels/leaf_order.h"
#include "kernels/reference/label_walk.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

namespace {

/// Takes arrays one after the other from a workspace, each aligned to 64 bytes. Without a workspace
/// it only counts.
class Carver {
 public:
  explicit Carver(std::byte* workspace) : workspace_(workspace) {}

  template <class T>
  std::span<T> take(size_t count) {
    std::byte* start = workspace_ == nullptr ? nullptr : workspace_ + bytes_;
    bytes_ += aligned_bytes(static_cast<int64_t>(count * sizeof(T)));
    return {reinterpret_cast<T*>(start), start == nullptr ? 0 : count};
  }
  int64_t bytes() const { return bytes_; }

 private:
  std::byte* workspace_;
  int64_t bytes_ = 0;
};

std::vector<ScalarCode> code_of(const std::vector<expr::Scalar>& scalars) {
  return {scalars.begin(), scalars.end()};
}

}  // namespace

Interpreter::Interpreter(const expr::TileProgram& program, const CallShape& shape)
    : num_labels_(program.labels.size()), num_inputs_(static_cast<size_t>(program.num_inputs)) {
  for (const expr::TileStatement& from : program.statements) {
    StatementCode statement = statement_of(program, from, shape);
    for (const ScalarCode& body : statement.bodies) {
      statement.results.push_back(body.dtype());
      num_values_ = std::max(num_values_, body.num_values());
    }
    for (const ScalarCode& combine : statement.combine) {
      num_values_ = std::max(num_values_, combine.num_values());
    }
    has_leaf_ = has_leaf_ || statement.leaf.has_value();
    num_results_ += statement.results.size();
    num_states_ = std::max(num_states_, statement.results.size());
    statements_.push_back(std::move(statement));
  }
}

Interpreter::StatementCode Interpreter::statement_of(const expr::TileProgram& program,
                                                     const expr::TileStatement& from,
                                                     const CallShape& shape) {
  StatementCode statement;
  statement.out = from.out;
  statement.bodies = code_of(from.bodies);
  for (const expr::LabelNumber label : from.out) {
    statement.out_index.push_back(expr::plain(label));
    statement.shape.push_back(shape.ranges[static_cast<size_t>(label)].length);
  }
  statement.strides = dense_strides(statement.shape);
  std::visit(Overload{[](const expr::Map&) {},
                      [&](const expr::Reduce& reduce) {
                        take_monoid(statement, reduce.monoid);
                        statement.reduces = true;
                        statement.over = reduce.over;
                        if (reduce.leaf) {
                          statement.leaf = leaf_order_of(program, *reduce.leaf);
                        }
                      },
                      [&](const expr::Scan& scan) {
                        take_monoid(statement, scan.monoid);
                        statement.scan = {scan, from.out};
                        std::erase(statement.scan->others, scan.along);
                      }},
             from.what);
  return statement;
}

void Interpreter::take_monoid(StatementCode& statement, const expr::Monoid& monoid) {
  statement.combine = code_of(monoid.combine);
  for (size_t entry = 0; entry < monoid.state.size(); ++entry) {
    statement.identity.push_back(element_of(monoid.identity[entry], monoid.state[entry]));
  }
}

int64_t Interpreter::workspace_bytes() const {
  int64_t bytes = 0;
  lay_out({}, bytes);
  return bytes;
}

Interpreter::CallScratch Interpreter::lay_out(const KernelCall& call,
                                              int64_t& bytes) const noexcept {
  Carver carver(call.workspace);
  CallScratch scratch;
  scratch.ranges = call.ranges;
  scratch.labels = carver.take<int64_t>(num_labels_);
  scratch.operands = carver.take<OperandView>(num_inputs_ + num_results_);
  scratch.values = carver.take<Element>(num_values_);
  scratch.states = carver.take<Element>(2 * num_states_);
  scratch.merged = carver.take<Element>(num_states_);
  scratch.leaf_ranges = carver.take<LabelRange>(has_leaf_ ? num_labels_ : 0);
  scratch.lanes = carver.take<Element>(has_leaf_ ? kLanes * num_states_ : 0);
  scratch.levels = carver.take<Element>(has_leaf_ ? kMostLevels * num_states_ : 0);
  size_t operand = num_inputs_;
  for (const StatementCode& statement : statements_) {
    const bool is_last = &statement == &statements_.back();
    const std::span<int64_t> origin = carver.take<int64_t>(statement.out.size());
    for (size_t position = 0; position < origin.size(); ++position) {
      origin[position] = call.ranges[static_cast<size_t>(statement.out[position])].begin;
    }
    for (size_t result = 0; result < statement.results.size(); ++result, ++operand) {
      const DType dtype = statement.results[result];
      const int64_t size = is_last ? 0 : num_elements(statement.shape) * size_of(dtype);
      const std::span<std::byte> data = carver.take<std::byte>(static_cast<size_t>(size));
      if (call.workspace != nullptr) {
        scratch.operands[operand] = is_last
                                        ? operand_view_of(call.outputs[result])
                                        : OperandView{data.data(), dtype, statement.shape.data(),
                                                      statement.strides.data(), origin.data()};
      }
    }
  }
  for (size_t input = 0; input < call.inputs.size(); ++input) {
    scratch.operands[input] = operand_view_of(call.inputs[input]);
  }
  bytes = carver.bytes();
  return scratch;
}

Status Interpreter::run(const KernelCall& call) const noexcept {
  int64_t bytes = 0;
  CallScratch scratch = lay_out(call, bytes);
  scratch.first_result = num_inputs_;
  for (const StatementCode& statement : statements_) {
    const bool is_last = &statement == &statements_.back();
    const Status status = run_statement(statement, scratch, is_last && call.accumulate);
    if (status != Status::ok) {
      return status;
    }
    scratch.first_result += statement.results.size();
  }
  return Status::ok;
}

Status Interpreter::run_statement(const StatementCode& statement, CallScratch& scratch,
                                  bool accumulate) const noexcept {
  if (!start(scratch.labels, statement.out, scratch.ranges)) {
    return Status::ok;
  }
  if (statement.scan) {
    return run_scan(statement, scratch);
  }
  do {
    const Status status = compute_element(statement, scratch, accumulate);
    if (status != Status::ok) {
      return status;
    }
  } while (advance(scratch.labels, statement.out, scratch.ranges));
  return Status::ok;
}

Status Interpreter::compute_element(const StatementCode& statement, CallScratch& scratch,
                                    bool accumulate) const noexcept {
  const size_t num_results = statement.results.size();
  Status status = statement.reduces ? reduce_over(statement, scratch)
                                    : evaluate_bodies(statement, scratch, scratch.states);
  for (size_t result = 0; status == Status::ok && result < num_results; ++result) {
    const OperandView& view = scratch.operands[scratch.first_result + result];
    const std::byte* target = locate(view, statement.out_index, scratch.labels);
    if (target == nullptr) {
      return Status::out_of_range;
    }
    if (accumulate) {
      scratch.states[num_results + result] = scratch.states[result];
      load_element(view.dtype, target, scratch.states[result]);
    }
  }
  if (status == Status::ok && accumulate) {
    status = combine_states(statement, scratch);
  }
  return status == Status::ok ? store_states(statement, scratch) : status;
}

Status Interpreter::store_states(const StatementCode& statement,
                                 CallScratch& scratch) const noexcept {
  for (size_t result = 0; result < statement.results.size(); ++result) {
    const OperandView& view = scratch.operands[scratch.first_result + result];
    std::byte* target = locate(view, statement.out_index, scratch.labels);
    if (target == nullptr) {
      return Status::out_of_range;
    }
    store_element(view.dtype, scratch.states[result], target);
  }
  return Status::ok;
}

Status Interpreter::run_scan(const StatementCode& statement, CallScratch& scratch) const noexcept {
  const expr::Scan& scan = statement.scan->scan;
  const auto along = static_cast<size_t>(scan.along);
  const LabelRange range = scratch.ranges[along];
  const bool is_forward = scan.direction == expr::Scan::Direction::forward;
  do {
    std::copy(statement.identity.begin(), statement.identity.end(), scratch.states.begin());
    for (int64_t step = 0; step < range.length; ++step) {
      scratch.labels[along] = range.begin + (is_forward ? step : range.length - 1 - step);
      if (const Status status = scan_element(statement, scratch); status != Status::ok) {
        return status;
      }
    }
  } while (advance(scratch.labels, statement.scan->others, scratch.ranges));
  return Status::ok;
}

Status Interpreter::scan_element(const StatementCode& statement,
                                 CallScratch& scratch) const noexcept {
  const bool is_exclusive = statement.scan->scan.is_exclusive;
  Status status =
      evaluate_bodies(statement, scratch, scratch.states.subspan(statement.results.size()));
  if (status == Status::ok && is_exclusive) {
    status = store_states(statement, scratch);
  }
  if (status == Status::ok) {
    status = combine_states(statement, scratch);
  }
  return status == Status::ok && !is_exclusive ? store_states(statement, scratch) : status;
}

Status Interpreter::reduce_over(const StatementCode& statement,
                                CallScratch& scratch) const noexcept {
  std::copy(statement.identity.begin(), statement.identity.end(), scratch.states.begin());
  if (statement.leaf) {
    return start(scratch.labels, statement.over, scratch.ranges) ? reduce_leaves(statement, scratch)
                                                                 : Status::ok;
  }
  if (!start(scratch.labels, statement.over, scratch.ranges)) {
    return Status::ok;
  }
  do {
    Status status =
        evaluate_bodies(statement, scratch, scratch.states.subspan(statement.results.size()));
    if (status == Status::ok) {
      status = combine_states(statement, scratch);
    }
    if (status != Status::ok) {
      return status;
    }
  } while (advance(scratch.labels, statement.over, scratch.ranges));
  return Status::ok;
}

Status Interpreter::combine_states(const StatementCode& statement,
                                   CallScratch& scratch) const noexcept {
  const ScalarContext context{scratch.labels, scratch.operands, scratch.states.data()};
  for (size_t entry = 0; entry < statement.combine.size(); ++entry) {
    const ScalarCode& code = statement.combine[entry];
    const Status status = code.evaluate(context, scratch.values);
    if (status != Status::ok) {
      return status;
    }
    scratch.merged[entry] = scratch.values[code.num_values() - 1];
  }
  std::copy_n(scratch.merged.begin(), statement.combine.size(), scratch.states.begin());
  return Status::ok;
}

Status Interpreter::evaluate_bodies(const StatementCode& statement, CallScratch& scratch,
                                    std::span<Element> results) const noexcept {
  const ScalarContext context{scratch.labels, scratch.operands, nullptr};
  for (size_t body = 0; body < statement.bodies.size(); ++body) {
    const ScalarCode& code = statement.bodies[body];
    const Status status = code.evaluate(context, scratch.values);
    if (status != Status::ok) {
      return status;
    }
    results[body] = scratch.values[code.num_values() - 1];
  }
  return Status::ok;
}

}  // namespace tessera::kernels
