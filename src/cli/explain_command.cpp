#include "base/error.h"
#include "cli/operands.h"
#include "cli/options.h"
#include "cli/standard_streams.h"
#include "engine/explain.h"
#include "engine/report.h"
#include "engine/why.h"

namespace tessera::cli {

namespace {

/// Inputs whose header fixes their type need not be given: explain reads no data.
void declare_fixed_inputs(const engine::Source& source, Operands& operands) {
  const auto* program = std::get_if<engine::Program>(&source);
  if (program == nullptr) {
    return;
  }
  auto inputs = frontend::inputs_of_program(program->source);
  for (const frontend::DeclaredInput& input : inputs.value()) {
    ArrayType type{input.dtype.value_or(DType::f32), {}};
    for (const std::optional<int64_t>& extent : input.extents) {
      if (extent) {
        type.shape.push_back(*extent);
      }
    }
    if (type.shape.size() == input.extents.size() && operands.types().count(input.name) == 0) {
      operands.declare(input.name, std::move(type));
    }
  }
}

}  // namespace

void run_explain(const ExplainOptions& options) {
  engine::Settings settings = settings_of(options.common);
  settings.num_sites = options.num_sites;
  settings.keep_steps = options.steps;
  const engine::Session session(std::move(settings));
  const engine::Source source = load_source(options.program);
  Operands operands(session.formats());
  const std::string expected = "NAME=f32[1000,64] or NAME=file for an input";
  for (const auto& [name, spec] : split_bindings(options.inputs, expected)) {
    if (std::optional<ArrayType> type = parse_array_type(spec)) {
      operands.declare(name, std::move(*type));
    } else {
      operands.open(name, spec, std::nullopt);
    }
  }
  declare_fixed_inputs(source, operands);
  const engine::Stages stages =
      session.plan(source, {operands.types(), parameters_of(options.parameters)});
  const std::string text = options.json ? engine::json_report(stages, {}, session)
                           : !options.why.empty()
                               ? engine::why(stages, options.why)
                               : engine::explain(stages, options.stage, options.format, session);
  write_output(text + "\n");
}

}  // namespace tessera::cli
