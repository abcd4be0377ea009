#include "plans/runner/modes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <random>
#include <utility>

#include "base/error.h"
#include "plan/memory.h"
#include "plans/runner/placed_run.h"
#include "plans/runner/placement_walk.h"
#include "plans/runner/process_run.h"
#include "plans/runner/round_trip.h"
#include "plans/runner/settings_line.h"
#include "plans/runner/variation.h"

namespace tessera::plans {

namespace {

/// Evaluations that a mode may ask of the reference interpreter, and of any kernel.
constexpr double kMostReferenceWork = 4e5;
constexpr double kMostWork = 4e6;

/// Pieces of one element, or as many as a plan may have calls.
int64_t one_element(int64_t, int64_t, int64_t coarseness) {
  return int64_t{1} << coarseness;
}

/// Pieces of 2, 3, 5, ... elements, so that the last one is shorter nearly everywhere.
int64_t prime_length(int64_t, int64_t n, int64_t coarseness) {
  constexpr std::array<int64_t, 16> kPrimes = {2,  3,  5,  7,  11, 13, 17, 19,
                                               23, 29, 31, 37, 41, 43, 47, 53};
  return kPrimes[static_cast<size_t>(n + coarseness) % 16] << (coarseness / 16);
}

/// About three pieces.
int64_t third(int64_t extent, int64_t, int64_t coarseness) {
  return ((extent + 2) / 3) << coarseness;
}

ModeReport with_cuts(const Case& each, const Baseline& baseline, const LengthOf& length_of) {
  if (!has_free_cuts(baseline)) {
    return {};
  }
  const engine::Settings settings = cut_settings(each, baseline, length_of);
  return run_variations(each, baseline, {{tile_text(settings), settings, false, {}}});
}

ModeReport tiles_1(const Case& each, const Baseline& baseline) {
  return with_cuts(each, baseline, &one_element);
}

ModeReport tiles_prime(const Case& each, const Baseline& baseline) {
  return with_cuts(each, baseline, &prime_length);
}

/// Asks for what the last plan needed until no plan needs less, or none is found.
int64_t least_accepted_budget(const Case& each, const Baseline& baseline) {
  engine::Settings settings = each.settings;
  int64_t accepted = *settings.memory_bytes;
  for (int64_t budget = plan::largest_proof(*baseline.stages.tasks()).smallest_budget;
       budget < accepted;) {
    settings.memory_bytes = budget;
    const engine::Session session(settings);
    try {
      const engine::Stages stages = plan_case(each, session);
      accepted = budget;
      budget = plan::largest_proof(*stages.tasks()).smallest_budget;
    } catch (const Error& error) {
      TESSERA_CHECK(error.kind() == ErrorKind::resource, "{}", error.full_text());
      break;
    }
  }
  return accepted;
}

ModeReport smallest_budget(const Case& each, const Baseline& baseline) {
  engine::Settings settings = each.settings;
  ModeReport report;
  noting_problems(report, each, "looking for the smallest budget", [&] {
    settings.memory_bytes = least_accepted_budget(each, baseline);
    const std::string label = fmt::format("memory {}", *settings.memory_bytes);
    report = run_variations(each, baseline, {{label, settings, false, {}}});
  });
  return report;
}

ModeReport spill_always(const Case& each, const Baseline& baseline) {
  engine::Settings settings =
      has_free_cuts(baseline) ? cut_settings(each, baseline, &third) : each.settings;
  const std::string label = tile_text(settings) + " under its smallest budget";
  engine::Settings alone = settings;
  alone.workers = 1;
  return run_variations(each, baseline, {{label, settings, true, {}}, {label, alone, true, {}}});
}

ModeReport rules_off(const Case& each, const Baseline& baseline) {
  if (!has_free_cuts(baseline)) {
    return {};
  }
  std::vector<Variation> variations;
  engine::Settings none = each.settings;
  for (const std::string& rule : names_of_rules()) {
    engine::Settings settings = each.settings;
    if (settings.reproducible && rule == "stated_order") {
      continue;  // it is what makes them so
    }
    if (rule == "gather_from_source") {  // a budget may be too small without it
      settings.memory_bytes = none.memory_bytes = {};
    }
    none.rules_off.insert(rule);
    if (settings.rules_off.insert(rule).second) {
      variations.push_back({"rules-off " + rule, std::move(settings), false, {}});
    }
  }
  variations.push_back({"rules-off all", std::move(none), false, {}});
  return run_variations(each, baseline, variations);
}

ModeReport perturbed_costs(const Case& each, const Baseline& baseline) {
  constexpr std::array<const char*, 4> kPlanners = {"exact", "eindecomp", "sqrt", "data-parallel"};
  std::vector<Variation> variations;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    engine::Settings settings = each.settings;
    std::string label = fmt::format("kernel costs drawn by {}", seed);
    if (has_free_cuts(baseline) && settings.tile.empty()) {
      settings.planner = kPlanners[seed - 1];
      settings.pieces = int64_t{1} << seed;
      label += fmt::format(", planner {}, pieces {}", *settings.planner, *settings.pieces);
    }
    variations.push_back({label, std::move(settings), false, seed});
  }
  return run_variations(each, baseline, variations);
}

ModeReport reference_kernels(const Case& each, const Baseline& baseline) {
  if (baseline.work > kMostReferenceWork) {
    return {};
  }
  engine::Settings settings = each.settings;
  settings.kernel = "reference";
  return run_variations(each, baseline, {{"kernel reference", std::move(settings), false, {}}});
}

ModeReport many_workers(const Case& each, const Baseline& baseline) {
  engine::Settings settings =
      has_free_cuts(baseline) ? cut_settings(each, baseline, &third) : each.settings;
  settings.workers = 7;
  const Variation variation{"workers 7, " + tile_text(settings), settings, false, {}};
  return run_variations(each, baseline, {variation, variation});
}

ModeReport reproducible(const Case& each, const Baseline& baseline) {
  if (!has_free_cuts(baseline)) {
    return {};
  }
  engine::Settings cut = cut_settings(each, baseline, &third);
  engine::Settings whole = each.settings;
  cut.reproducible = true;
  whole.reproducible = true;
  return run_variations(each, baseline,
                        {{"reproducible", std::move(whole), false, {}},
                         {"reproducible, " + tile_text(cut), cut, false, {}}});
}

using ResultsOf = Results (*)(const engine::Stages&, const Case&, const engine::Session&);

/// A program that is planned another way and run so.
void check_run(const Case& each, const Baseline& baseline, const engine::Settings& settings,
               ResultsOf results_of, ModeReport& report) {
  const engine::Session session(settings);
  const engine::Stages stages = plan_case(each, session);
  ++report.num_plans;
  const std::vector<std::string> problems = problems_of(stages, session);
  TESSERA_CHECK(problems.empty(), "{}", problems.front());
  ++report.num_runs;
  const auto problem =
      difference(*baseline.results, results_of(stages, each, session), each.tolerance);
  TESSERA_CHECK(!problem, "{}", *problem);
}

/// A placed program as the naive interpreter runs it on its sites.
void check_placed(const Case& each, const Baseline& baseline, const engine::Settings& settings,
                  ModeReport& report) {
  check_run(
      each, baseline, settings,
      [](const engine::Stages& stages, const Case& run, const engine::Session&) {
        return run_placed(*stages.placed(), run);
      },
      report);
}

/// On several sites as the naive interpreter runs them, and on one, where it is compared with the
/// plan that was run.
ModeReport sites(const Case& each, const Baseline& baseline) {
  ModeReport report;
  if (!baseline.results || baseline.work > kMostReferenceWork || !has_free_cuts(baseline)) {
    return report;
  }
  for (const int64_t num_sites : {1, 2, 3, 4, 7}) {
    for (const bool is_cut : {false, true}) {
      engine::Settings settings = is_cut ? cut_settings(each, baseline, &third) : each.settings;
      set_sites(settings, num_sites);
      const std::string label = fmt::format("{} sites, {}", num_sites, tile_text(settings));
      noting_problems(report, each, label, [&] { check_placed(each, baseline, settings, report); });
    }
  }
  return report;
}

std::vector<std::string> names_of_placement_planners() {
  placement::PlannerRegistry planners;
  placement::register_all_planners(planners);
  std::vector<std::string> names;
  for (const placement::Planner& planner : planners.all()) {
    names.push_back(planner.name);
  }
  return names;
}

/// By every planner of placements on several sites: as they are run, and on their sites as the
/// naive interpreter runs them where that is not much.
ModeReport placement_planners(const Case& each, const Baseline& baseline) {
  if (!has_free_cuts(baseline)) {
    return {};
  }
  std::vector<Variation> variations;
  for (const std::string& planner : names_of_placement_planners()) {
    for (const int64_t num_sites : {2, 3, 7}) {
      engine::Settings settings = cut_settings(each, baseline, &third);
      set_sites(settings, num_sites);
      settings.planner = planner;
      const std::string label =
          fmt::format("{} on {} sites, {}", planner, num_sites, tile_text(settings));
      variations.push_back({label, std::move(settings), false, {}});
    }
  }
  ModeReport report = run_variations(each, baseline, variations);
  for (const Variation& variation : variations) {
    if (baseline.results && baseline.work <= kMostReferenceWork) {
      noting_problems(report, each, variation.label,
                      [&] { check_placed(each, baseline, variation.settings, report); });
    }
  }
  return report;
}

/// On several sites, each with a memory of its own, as they are run; on three of them in as little
/// memory as there has to be.
ModeReport on_sites(const Case& each, const Baseline& baseline) {
  if (!has_free_cuts(baseline)) {
    return {};
  }
  std::vector<Variation> variations;
  for (const int64_t num_sites : {2, 3, 7}) {
    engine::Settings settings = cut_settings(each, baseline, &third);
    set_sites(settings, num_sites);
    const std::string label = fmt::format("{} sites, {}", num_sites, tile_text(settings));
    variations.push_back({label, std::move(settings), num_sites == 3, {}});
  }
  return run_variations(each, baseline, variations);
}

/// On several sites, each run as a process of its own, in as little memory as there has to be.
ModeReport processes(const Case& each, const Baseline& baseline) {
  ModeReport report;
  if (!baseline.results || !has_free_cuts(baseline)) {
    return report;
  }
  for (const int64_t num_sites : {2, 3, 7}) {
    engine::Settings settings = cut_settings(each, baseline, &third);
    set_sites(settings, num_sites);
    const std::string label = fmt::format("{} processes, {}", num_sites, tile_text(settings));
    noting_problems(report, each, label, [&] {
      check_run(
          each, baseline, settings,
          [](const engine::Stages& stages, const Case& run, const engine::Session& session) {
            const auto seed = static_cast<uint64_t>(session.settings().num_sites + run.line);
            return run_in_processes(*stages.tasks(), run, {session.context(), 0, 2}, seed);
          },
          report);
    });
  }
  return report;
}

/// In frames of few tasks, on one site and on several.
ModeReport frames(const Case& each, const Baseline& baseline) {
  ModeReport report;
  if (!baseline.results || !has_free_cuts(baseline)) {
    return report;
  }
  for (const int64_t num_sites : {1, 3}) {
    for (const int64_t frame_tasks : {1, 40}) {
      engine::Settings settings = cut_settings(each, baseline, &third);
      set_sites(settings, num_sites);
      settings.frame_tasks = frame_tasks;
      const std::string label = fmt::format("frames of {} tasks on {} sites, {}", frame_tasks,
                                            num_sites, tile_text(settings));
      noting_problems(report, each, label,
                      [&] { check_run(each, baseline, settings, &run_case, report); });
    }
  }
  return report;
}

/// Every rule of placement at drawn places of the plan that to_ia makes.
ModeReport placement_rules(const Case& each, const Baseline& baseline) {
  ModeReport report;
  if (!baseline.results || baseline.work > kMostReferenceWork || !has_free_cuts(baseline)) {
    return report;
  }
  uint64_t seed = 0;
  for (const int64_t num_sites : {2, 3}) {
    engine::Settings settings = cut_settings(each, baseline, &third);
    set_sites(settings, num_sites);
    settings.rules_off.insert("placement_search");
    noting_problems(report, each, fmt::format("{} sites", num_sites), [&] {
      ModeReport walk = placement_walk(each, baseline, settings, ++seed);
      report.num_plans += walk.num_plans;
      report.num_runs += walk.num_runs;
      std::move(walk.problems.begin(), walk.problems.end(), std::back_inserter(report.problems));
    });
  }
  return report;
}

}  // namespace

std::optional<Baseline> baseline_of(const Case& each) {
  Baseline baseline{std::make_shared<const engine::Session>(each.settings), {}, 0, std::nullopt};
  try {
    baseline.stages = plan_case(each, *baseline.session);
    if (baseline.stages.tasks() == nullptr) {
      return std::nullopt;
    }
    baseline.work = work_of(baseline.stages);
    if (baseline.work <= kMostWork) {
      baseline.results = run_case(baseline.stages, each, *baseline.session);
    }
  } catch (const Error&) {
    return std::nullopt;
  }
  return baseline;
}

const std::vector<Mode>& all_modes() {
  static const std::vector<Mode> modes = {
      {"tiles-1", "every tile has one element", &tiles_1},
      {"tiles-prime", "tiles of 2, 3, 5, ... elements", &tiles_prime},
      {"smallest-budget", "the least memory that a plan is found for", &smallest_budget},
      {"spill-always", "the least memory that plans in small tiles run under", &spill_always},
      {"rules-off", "every rule off, one at a time, and all of them", &rules_off},
      {"perturbed-costs", "kernels by wrong costs, cuts by every planner", &perturbed_costs},
      {"round-trip", "every stage printed, read back and gone on from", &round_trip},
      {"reference-kernels", "the reference kernel alone", &reference_kernels},
      {"many-workers", "seven workers on small tiles, twice", &many_workers},
      {"reproducible", "sums in a stated order", &reproducible},
      {"frames", "frames of few tasks, on 1 and 3 sites", &frames},
      {"sites", "1, 2, 3, 4 and 7 sites, interpreted by value", &sites},
      {"on-sites", "2, 3 and 7 sites, run", &on_sites},
      {"processes", "2, 3 and 7 processes of little memory, over slow links", &processes},
      {"placement-planners", "every planner of placements on 2, 3 and 7 sites, run and by value",
       &placement_planners},
      {"placement-rules", "placement rules at drawn places, interpreted by value",
       &placement_rules},
  };
  return modes;
}

}  // namespace tessera::plans
