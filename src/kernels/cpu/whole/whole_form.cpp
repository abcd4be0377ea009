#include "kernels/cpu/whole/whole_form.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

bool reads(const WholeOperand& operand, LabelNumber label) {
  return std::any_of(operand.index.begin(), operand.index.end(),
                     [&](const expr::Index& index) { return expr::mentions(index, label); });
}

/// Returns the core labels of these numbers behind the columns.
std::vector<LabelNumber> inner_labels(const std::vector<LabelNumber>& columns,
                                      const std::vector<LabelNumber>& core,
                                      const std::vector<int>& numbers) {
  std::vector<LabelNumber> inner = columns;
  for (const int number : numbers) {
    inner.push_back(core[static_cast<size_t>(number)]);
  }
  return inner;
}

std::vector<WholeOperand> arguments_of(const expr::Scalar& body, const expr::Call& call) {
  std::vector<WholeOperand> arguments;
  for (const int32_t argument : call.arguments) {
    const expr::Node& node = body.nodes[static_cast<size_t>(argument)];
    const auto& access = std::get<expr::Access>(node.op);
    arguments.push_back({static_cast<size_t>(access.operand), node.dtype, access.index, {}});
  }
  return arguments;
}

WholeOperand result_of(const expr::TileStatement& statement) {
  WholeOperand result{0, statement.bodies[0].dtype(), {}, {}};
  for (const LabelNumber label : statement.out) {
    result.index.push_back(expr::plain(label));
  }
  return result;
}

/// Divides the labels that are not core among outer ones and columns, and lays out the arrays.
void lay_out(WholeForm& form, const std::vector<LabelNumber>& out, const expr::CoreLabels& core) {
  for (const LabelNumber label : expr::labels_without(out, form.core)) {
    const bool is_column = form.routine.takes_columns && !reads(form.arguments.front(), label);
    (is_column ? form.columns : form.outer).push_back(label);
  }
  for (size_t number = 0; number < form.arguments.size(); ++number) {
    form.arguments[number].inner = inner_labels(
        number == 0 ? std::vector<LabelNumber>() : form.columns, form.core, core.arguments[number]);
  }
  form.result.inner = inner_labels(form.columns, form.core, core.result);
}

}  // namespace

int64_t num_positions(const std::vector<LabelNumber>& labels, std::span<const LabelRange> ranges) {
  int64_t positions = 1;
  for (const LabelNumber label : labels) {
    positions *= ranges[static_cast<size_t>(label)].length;
  }
  return positions;
}

int64_t WholeOperand::array_elements(std::span<const LabelRange> ranges) const {
  return num_positions(inner, ranges);
}

int64_t WholeForm::num_arrays(std::span<const LabelRange> ranges) const {
  return num_positions(outer, ranges);
}

OrRefusal<WholeForm> whole_form_of(const expr::TileProgram& program, const CallShape& shape,
                                   const RoutineRegistry& routines,
                                   const expr::FunctionRegistry& functions) {
  const expr::TileStatement& statement = program.statements[0];
  const expr::Whole* const whole = expr::whole_of(statement);
  if (whole == nullptr) {
    return Refusal{"it is no function of whole arrays"};
  }
  const auto& call = std::get<expr::Call>(statement.bodies[0].nodes.back().op);
  const Routine* const routine = routines.find(call.function);
  if (routine == nullptr) {
    return Refusal{fmt::format("there is no code for {}", call.function)};
  }
  for (const LabelNumber label : whole->core) {
    const int64_t extent = program.labels[static_cast<size_t>(label)].extent;
    if (shape.ranges[static_cast<size_t>(label)].length != extent) {
      return Refusal{"a label of the arrays is cut"};
    }
    if (extent > std::numeric_limits<int32_t>::max()) {
      return Refusal{"an array is longer than 2^31"};
    }
  }
  WholeForm form{
      *routine, {}, {}, whole->core, arguments_of(statement.bodies[0], call), result_of(statement)};
  lay_out(form, statement.out, *functions.find(call.function)->core);
  return form;
}

}  // namespace tessera::kernels
