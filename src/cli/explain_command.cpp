#include "base/error.h"
#include "cli/equation_argument.h"
#include "cli/options.h"
#include "cli/standard_streams.h"
#include "cli/type_argument.h"
#include "engine/explain/candidates.h"
#include "engine/explain/explain.h"
#include "engine/explain/report.h"
#include "engine/explain/why.h"
#include "engine/files/input_files.h"

namespace tessera::cli {

namespace {

/// --json and --why print something else than stages.
void check_combination(const ExplainOptions& options) {
  TESSERA_USER_CHECK(!options.json || options.why.empty(),
                     "--json and --why {} print two different things: leave out one", options.why);
  const bool is_of_stages = !options.stage.empty() || !options.format.empty() || options.steps;
  TESSERA_USER_CHECK(
      !options.json || !is_of_stages,
      "--json prints the figures of a plan and no stage: leave out --stage, --format "
      "and --steps; --stage tasks --format json prints a stage as JSON");
  TESSERA_USER_CHECK(options.why.empty() || !is_of_stages,
                     "--why {} prints no stage: leave out --stage, --format and --steps",
                     options.why);
  TESSERA_USER_CHECK(!options.candidates || (!options.json && options.why.empty() && !is_of_stages),
                     "--candidates prints the plans that were tried: leave out --json, --why, "
                     "--stage, --format and --steps; --json prints them too");
}

std::string text_of(const engine::Stages& stages, const ExplainOptions& options,
                    const engine::Session& session) {
  if (options.json) {
    return engine::json_report(stages, {}, session);
  }
  if (options.candidates) {
    return engine::candidates_text(stages, session);
  }
  if (!options.why.empty()) {
    return engine::why(stages, options.why, session);
  }
  return engine::explain(stages, options.stage.empty() ? "all" : options.stage,
                         options.format.empty() ? "text" : options.format, session);
}

/// Explain reads no data: a type will do for a file.
void declare_or_open(engine::InputFiles& inputs, const std::string& name, const std::string& spec) {
  if (std::optional<ArrayType> type = type_argument(spec)) {
    inputs.declare(name, std::move(*type));
  } else {
    inputs.open(name, spec, std::nullopt);
  }
}

/// An equation with its operands.
engine::Source equation_source(const ExplainOptions& options, engine::InputFiles& inputs) {
  engine::Equation equation{equation_text(options.program), {}, {}};
  for (const auto& [name, spec] : equation_operands(options.inputs)) {
    declare_or_open(inputs, name, spec);
    equation.operands.push_back(name);
  }
  if (!options.join.empty()) {
    equation.options.join = options.join;
  }
  if (!options.aggregate.empty()) {
    equation.options.aggregate = options.aggregate;
  }
  return equation;
}

/// A program's file, or a stage's text, with its inputs.
engine::Source file_source(const ExplainOptions& options, engine::InputFiles& inputs) {
  TESSERA_USER_CHECK(options.join.empty() && options.aggregate.empty(),
                     "--join and --agg belong to an equation, and {} is none", options.program);
  engine::Source source = engine::load_source(options.program);
  const std::string expected = "NAME=f32[1000,64] or NAME=file for an input";
  for (const auto& [name, spec] : split_bindings(options.inputs, expected)) {
    declare_or_open(inputs, name, spec);
  }
  for (const auto& [name, type] : engine::declared_types(source)) {
    if (!inputs.types().contains(name)) {
      inputs.declare(name, type);
    }
  }
  return source;
}

}  // namespace

void run_explain(const ExplainOptions& options) {
  check_combination(options);
  engine::Settings settings = settings_of(options.common);
  settings.keep_steps = options.steps || !options.why.empty();
  const engine::Session session(std::move(settings));
  engine::InputFiles inputs(session.formats());
  const engine::Source source = is_equation(options.program, options.inputs)
                                    ? equation_source(options, inputs)
                                    : file_source(options, inputs);
  const engine::Stages stages =
      session.plan(source, inputs.bindings(parameters_of(options.parameters)));
  write_output(text_of(stages, options, session) + "\n");
}

}  // namespace tessera::cli
