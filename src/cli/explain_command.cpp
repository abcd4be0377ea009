#include <optional>

#include "base/error.h"
#include "cli/options.h"
#include "cli/planned_source.h"
#include "cli/standard_streams.h"
#include "cli/warnings.h"
#include "engine/explain/candidates.h"
#include "engine/explain/checkpoints.h"
#include "engine/explain/explain.h"
#include "engine/explain/report.h"
#include "engine/explain/why.h"
#include "engine/files/input_files.h"

namespace tessera::cli {

namespace {

/// Refuses options that do not go together: --json and --why print no stages.
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
  const bool has_no_lines = !options.why.empty() || options.candidates ||
                            (!options.format.empty() && options.format != "text");
  TESSERA_USER_CHECK(options.common.checkpoint_directory.empty() || !has_no_lines,
                     "what --checkpoint keeps is said behind the text of stages, or by --json: "
                     "leave out --why, --candidates and --format");
}

std::string text_of(const engine::Stages& stages, const ExplainOptions& options,
                    const engine::Sources& sources, const engine::Session& session) {
  if (options.json) {
    return engine::json_report(stages,
                               stages.is_planned()
                                   ? std::optional(engine::PlanProfile(stages, session.setup()))
                                   : std::nullopt,
                               session, &sources) +
           "\n";
  }
  if (options.candidates) {
    return engine::candidates_text(stages, session) + "\n";
  }
  if (!options.why.empty()) {
    return engine::why(stages, options.why, session) + "\n";
  }
  const std::string text =
      engine::explain(stages, options.stage.empty() ? "all" : options.stage,
                      options.format.empty() ? "text" : options.format, session);
  return session.settings().checkpoint_directory
             ? text + "\n\n" + engine::checkpoints_text(stages, sources, session)
             : text + "\n";
}

}  // namespace

void run_explain(const ExplainOptions& options) {
  check_combination(options);
  engine::Settings settings = settings_of(options.common);
  settings.keep_steps = options.steps || !options.why.empty();
  const engine::Session session = session_of(options.common, std::move(settings));
  engine::InputFiles inputs(session.formats());
  const engine::Source source = planned_source(options.planned, options.common, inputs);
  const engine::Stages stages =
      session.plan(source, inputs.bindings(parameters_of(options.planned.parameters)));
  if (!options.common.quiet) {
    say_warnings(stages);
  }
  write_output(text_of(stages, options, inputs.sources(), session));
  if (stages.parted && !options.common.quiet) {
    write_message(
        "tessera: note: this is the plan of a first part, which leaves in files what data index "
        "behind it: the budget does not hold that; a run plans the rest then");
  }
  if (stages.waits_for && !options.common.quiet) {
    write_message(fmt::format(
        "tessera: note: this plan ends with {}, how many {} there are; a run plans the rest by it",
        stages.waits_for->name, stages.waits_for->what));
  }
}

}  // namespace tessera::cli
