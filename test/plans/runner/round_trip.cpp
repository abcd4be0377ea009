#include "plans/runner/round_trip.h"

#include <optional>
#include <utility>

#include "base/error.h"
#include "engine/explain/explain.h"
#include "engine/planning/stage_text.h"
#include "plans/runner/variation.h"

namespace tessera::plans {

namespace {

/// The session's settings without what comes too late for a text behind the cuts, placed by a
/// planner or, behind the placement, by none.
engine::Settings late_settings(const engine::Settings& settings,
                               const std::optional<std::string>& placement_planner) {
  engine::Settings late = settings;
  late.tile.clear();
  late.planner = placement_planner;
  late.pieces.reset();
  late.reproducible = false;
  return late;
}

SourceText text_of(const engine::Stages& stages, const std::string& stage,
                   const engine::Session& session) {
  // Behind an empty line come the steps of the optimizer.
  const std::string text = engine::explain(stages, stage, "text", session);
  return {stage, text.substr(0, text.find("\n\n")) + "\n"};
}

/// A stage that is there both times is the same.
template <class Graph>
void check_equal(const std::string& stage, const Graph* made, const Graph* read) {
  TESSERA_CHECK(made == nullptr || read == nullptr || *read == *made,
                "stage {} is another value when it is read back", stage);
}

/// Plans a stage's text, and compares all that follows with what was made from the program.
void go_on_from(const std::string& stage, const Case& each, const Baseline& baseline,
                const engine::Session& session, ModeReport& report) {
  const engine::Stages& made = baseline.stages;
  const engine::Stages again = session.plan(engine::StageText{text_of(made, stage, session)}, {});
  ++report.num_plans;
  if (again.choices() != nullptr) {
    check_equal("einsum", &made.choices()->bound, &again.choices()->bound);
    check_equal("optimized", &made.choices()->optimized, &again.choices()->optimized);
  }
  check_equal("tra", made.relations(), again.relations());
  check_equal("ia", made.placed(), again.placed());
  check_equal("tasks", made.tasks(), again.tasks());
  if (baseline.results) {
    ++report.num_runs;
    const auto problem =
        difference(*baseline.results, run_case(again, each, session), each.tolerance);
    TESSERA_CHECK(!problem, "{}", *problem);
  }
}

}  // namespace

ModeReport round_trip(const Case& each, const Baseline& baseline) {
  ModeReport report;
  const engine::Stages& made = baseline.stages;
  const engine::Session late(late_settings(each.settings, std::nullopt));
  const engine::Session behind_cuts(
      late_settings(each.settings, baseline.session->setup().planner_names().places));
  const auto go_on = [&](const std::string& stage, const engine::Session& session) {
    noting_problems(report, each, stage,
                    [&] { go_on_from(stage, each, baseline, session, report); });
  };
  if (const engine::Choices* choices = made.choices()) {
    go_on("einsum", *baseline.session);
    noting_problems(report, each, "optimized", [&] {
      const engine::Start read =
          engine::parse_stage(text_of(made, "optimized", late), late.setup());
      check_equal("optimized", &choices->optimized, &std::get<einsum::Graph>(read));
    });
  }
  if (made.relations() != nullptr) {
    go_on("tra", behind_cuts);
  }
  if (made.placed() != nullptr) {
    go_on("ia", late);
  }
  go_on("tasks", late);
  return report;
}

}  // namespace tessera::plans
