#include "plans/runner/round_trip.h"

#include <utility>

#include "base/error.h"
#include "engine/explain.h"
#include "engine/stage_text.h"
#include "plans/runner/variation.h"

namespace tessera::plans {

namespace {

/// The session's settings without what comes too late for a text behind the cuts.
engine::Settings late_settings(const engine::Settings& settings) {
  engine::Settings late = settings;
  late.tile.clear();
  late.planner.reset();
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

}  // namespace

ModeReport round_trip(const Case& each, const Baseline& baseline) {
  ModeReport report;
  const engine::Stages& made = baseline.stages;
  const engine::Session session(late_settings(each.settings));
  const auto read_back = [&](const std::string& stage) {
    return engine::parse_stage(text_of(made, stage, session), session);
  };
  if (const engine::Choices* choices = made.choices()) {
    noting_problems(report, each, "einsum", [&] {
      ++report.num_plans;
      const engine::Start bound = read_back("einsum");
      const engine::Start optimized = read_back("optimized");
      check_equal("einsum", &choices->bound, &std::get<einsum::Graph>(bound));
      check_equal("optimized", &choices->optimized, &std::get<einsum::Graph>(optimized));
    });
  }
  for (const std::string stage : {"tra", "ia", "tasks"}) {
    if ((stage == "tra" && made.relations() == nullptr) ||
        (stage == "ia" && made.placed() == nullptr)) {
      continue;
    }
    noting_problems(report, each, stage, [&] {
      const engine::Stages again =
          session.plan(engine::StageText{text_of(made, stage, session)}, {});
      ++report.num_plans;
      check_equal("tra", made.relations(), again.relations());
      check_equal("ia", made.placed(), again.placed());
      check_equal("tasks", made.tasks(), again.tasks());
      if (baseline.results) {
        ++report.num_runs;
        const auto problem =
            difference(*baseline.results, run_case(again, each, session), each.tolerance);
        TESSERA_CHECK(!problem, "{}", *problem);
      }
    });
  }
  return report;
}

}  // namespace tessera::plans
