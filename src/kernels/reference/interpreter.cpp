#include "kernels/reference/interpreter.h"

#include <algorithm>

#include "base/error.h"
#include "kernels/leaf_order.h"
#include "kernels/reference/label_walk.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

namespace {

std::vector<ScalarCode> code_of(const std::vector<expr::Scalar>& scalars, Isa isa) {
  std::vector<ScalarCode> codes;
  for (const expr::Scalar& scalar : scalars) {
    codes.emplace_back(scalar, isa);
  }
  return codes;
}

}  // namespace

Interpreter::Interpreter(const expr::TileProgram& program, const CallShape& shape, Isa isa)
    : counts_(counts_of(program)) {
  const std::optional<ScanStart> start = scan_start(program);
  for (size_t number = 0; number < program.statements.size(); ++number) {
    const bool is_rest = start && number > 0;
    StatementCode statement = statement_of(
        program, is_rest ? start->rest[number - 1] : program.statements[number], shape, isa);
    if (start && number == 0) {
      take_start(statement, *start, isa);
    }
    for (const ScalarCode& body : statement.bodies) {
      statement.results.push_back(body.dtype());
    }
    statements_.push_back(std::move(statement));
  }
}

Interpreter::Counts Interpreter::counts_of(const expr::TileProgram& program) {
  Counts counts{program.labels.size(), static_cast<size_t>(program.num_inputs)};
  const auto note_values = [&](const std::vector<expr::Scalar>& scalars) {
    for (const expr::Scalar& scalar : scalars) {
      counts.values = std::max(counts.values, scalar.nodes.size());
    }
  };
  for (const expr::TileStatement& statement : program.statements) {
    note_values(statement.bodies);
    if (const expr::Monoid* monoid = expr::monoid_of(statement)) {
      note_values(monoid->combine);
    }
    counts.has_leaf = counts.has_leaf || expr::stated_leaf(statement) != nullptr;
    counts.results += statement.bodies.size();
    counts.states = std::max(counts.states, statement.bodies.size());
  }
  return counts;
}

Interpreter::StatementCode Interpreter::statement_of(const expr::TileProgram& program,
                                                     const expr::TileStatement& from,
                                                     const CallShape& shape, Isa isa) {
  StatementCode statement;
  statement.out = from.out;
  statement.bodies = code_of(from.bodies, isa);
  for (const expr::LabelNumber label : from.out) {
    statement.out_index.push_back(expr::plain(label));
    statement.shape.push_back(shape.ranges[static_cast<size_t>(label)].length);
  }
  statement.strides = dense_strides(statement.shape);
  std::visit(Overload{[](const expr::Map&) {},
                      [&](const expr::Reduce& reduce) {
                        take_monoid(statement, reduce.monoid, isa);
                        statement.reduces = true;
                        statement.over = reduce.over;
                        if (reduce.leaf) {
                          const expr::TileProgram alone{program.labels, program.num_inputs, {from}};
                          statement.leaf = leaf_order_of(alone, *reduce.leaf, isa);
                        }
                      },
                      [&](const expr::Scan& scan) {
                        take_monoid(statement, scan.monoid, isa);
                        statement.scan = {scan, from.out};
                        std::erase(statement.scan->others, scan.along);
                      },
                      [](const expr::Whole&) {
                        throw_error(ErrorKind::internal,
                                    "the reference interpreter is asked for whole arrays");
                      }},
             from.what);
  return statement;
}

void Interpreter::take_monoid(StatementCode& statement, const expr::Monoid& monoid, Isa isa) {
  statement.combine = code_of(monoid.combine, isa);
  for (size_t entry = 0; entry < monoid.state.size(); ++entry) {
    statement.identity.push_back(element_of(monoid.identity[entry], monoid.state[entry]));
  }
}

void Interpreter::take_start(StatementCode& statement, const ScanStart& start, Isa isa) {
  statement.start = {static_cast<size_t>(start.first_operand),
                     plain_indices(statement.scan ? statement.scan->others : statement.out),
                     start.is_backward};
  statement.combine = code_of(start.combine, isa);
}

int64_t Interpreter::workspace_bytes(const expr::TileProgram& program, const CallShape& shape) {
  Carver carver(nullptr);
  take_buffers(carver, counts_of(program));
  for (const expr::TileStatement& statement : program.statements) {
    const bool is_last = &statement == &program.statements.back();
    int64_t elements = is_last ? 0 : 1;
    for (const expr::LabelNumber label : statement.out) {
      elements *= shape.ranges[static_cast<size_t>(label)].length;
    }
    carver.take<int64_t>(statement.out.size());
    for (const expr::Scalar& body : statement.bodies) {
      carver.take<std::byte>(static_cast<size_t>(elements * size_of(body.dtype())));
    }
  }
  return carver.bytes();
}

Interpreter::CallScratch Interpreter::take_buffers(Carver& carver, const Counts& counts) noexcept {
  CallScratch scratch;
  scratch.labels = carver.take<int64_t>(counts.labels);
  scratch.operands = carver.take<OperandView>(counts.inputs + counts.results);
  scratch.values = carver.take<Element>(counts.values);
  scratch.states = carver.take<Element>(2 * counts.states);
  scratch.merged = carver.take<Element>(counts.states);
  scratch.leaf_ranges = carver.take<LabelRange>(counts.has_leaf ? counts.labels : 0);
  scratch.lanes = carver.take<Element>(counts.has_leaf ? kLanes * counts.states : 0);
  scratch.levels = carver.take<Element>(counts.has_leaf ? kMostLevels * counts.states : 0);
  return scratch;
}

/// Lays out the memory that workspace_bytes() counts.
Interpreter::CallScratch Interpreter::lay_out(const KernelCall& call) const noexcept {
  Carver carver(call.workspace);
  CallScratch scratch = take_buffers(carver, counts_);
  scratch.ranges = call.ranges;
  scratch.out_of_range = call.fault;
  size_t operand = counts_.inputs;
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
      scratch.operands[operand] = is_last ? operand_view_of(call.outputs[result])
                                          : OperandView{data.data(), dtype, statement.shape.data(),
                                                        statement.strides.data(), origin.data()};
    }
  }
  for (size_t input = 0; input < call.inputs.size(); ++input) {
    scratch.operands[input] = operand_view_of(call.inputs[input]);
  }
  return scratch;
}

Status Interpreter::run(const KernelCall& call) const noexcept {
  CallScratch scratch = lay_out(call);
  scratch.first_result = counts_.inputs;
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
    if (const Status status = begin_states(statement, scratch); status != Status::ok) {
      return status;
    }
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

Status Interpreter::merge_element(const StatementCode& statement,
                                  CallScratch& scratch) const noexcept {
  const Status status =
      evaluate_bodies(statement, scratch, scratch.states.subspan(statement.results.size()));
  return status == Status::ok ? combine_states(statement, scratch) : status;
}

Status Interpreter::begin_states(const StatementCode& statement,
                                 CallScratch& scratch) const noexcept {
  if (!statement.start) {
    std::copy(statement.identity.begin(), statement.identity.end(), scratch.states.begin());
    return Status::ok;
  }
  for (size_t entry = 0; entry < statement.results.size(); ++entry) {
    const OperandView& view = scratch.operands[statement.start->first_operand + entry];
    const std::byte* state = locate(view, statement.start->index, scratch.labels);
    if (state == nullptr) {
      return Status::out_of_range;
    }
    load_element(view.dtype, state, scratch.states[entry]);
  }
  return Status::ok;
}

Status Interpreter::reduce_over(const StatementCode& statement,
                                CallScratch& scratch) const noexcept {
  if (const Status status = begin_states(statement, scratch); status != Status::ok) {
    return status;
  }
  if (statement.start) {
    return merge_line(statement, scratch);
  }
  if (statement.leaf) {
    return start(scratch.labels, statement.over, scratch.ranges) ? reduce_leaves(statement, scratch)
                                                                 : Status::ok;
  }
  if (!start(scratch.labels, statement.over, scratch.ranges)) {
    return Status::ok;
  }
  do {
    if (const Status status = merge_element(statement, scratch); status != Status::ok) {
      return status;
    }
  } while (advance(scratch.labels, statement.over, scratch.ranges));
  return Status::ok;
}

/// Walks the one label that is merged away.
Status Interpreter::merge_line(const StatementCode& statement,
                               CallScratch& scratch) const noexcept {
  const auto along = static_cast<size_t>(statement.over.front());
  const LabelRange range = scratch.ranges[along];
  for (int64_t step = 0; step < range.length; ++step) {
    const int64_t position = statement.start->is_backward ? range.length - 1 - step : step;
    scratch.labels[along] = range.begin + position;
    if (const Status status = merge_element(statement, scratch); status != Status::ok) {
      return status;
    }
  }
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
  const ScalarContext context{scratch.labels, scratch.operands, nullptr, scratch.out_of_range};
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
