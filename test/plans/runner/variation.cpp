#include "plans/runner/variation.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "plan/memory.h"
#include "plan/to_tasks.h"
#include "plan/verify.h"
#include "plans/runner/perturbed_kernels.h"

namespace tessera::plans {

namespace {

/// More calls take longer to plan than a mode over many cases may take.
constexpr double kMostCalls = 1500;

struct Cuts {
  std::map<std::string, int64_t> extents;            // by label
  std::vector<std::vector<expr::LabelDecl>> spaces;  // of the statements
};

Cuts cuts_of(const einsum::Graph& graph) {
  Cuts cuts;
  for (const einsum::Vertex& vertex : graph.vertices) {
    if (const auto* einsum = std::get_if<einsum::EinSum>(&vertex.op)) {
      cuts.spaces.push_back(einsum->labels);
      for (const expr::LabelDecl& label : einsum->labels) {
        int64_t& extent = cuts.extents[label.name];
        extent = std::max(extent, label.extent);
      }
    }
  }
  return cuts;
}

double num_calls(const Cuts& cuts, const std::map<std::string, int64_t>& lengths) {
  double calls = 0;
  for (const std::vector<expr::LabelDecl>& space : cuts.spaces) {
    double product = 1;
    for (const expr::LabelDecl& label : space) {
      const int64_t length = lengths.at(label.name);
      const int64_t pieces = (label.extent + length - 1) / length;
      product *= static_cast<double>(pieces);
    }
    calls += product;
  }
  return calls;
}

void check_results(const Case& each, const Baseline& baseline, const Results& results) {
  const auto problem = difference(*baseline.results, results, each.tolerance);
  TESSERA_CHECK(!problem, "{}", *problem);
}

}  // namespace

namespace {

/// The program of a case that no file shows.
std::string drawn_text(const Case& each) {
  const auto* program = std::get_if<engine::Program>(&each.source);
  return each.line > 0 || program == nullptr ? "" : "\n" + program->source.text;
}

}  // namespace

void noting_problems(ModeReport& report, const Case& each, const std::string& label,
                     const std::function<void()>& step) {
  try {
    step();
  } catch (const Error& error) {
    report.problems.push_back(fmt::format("{}: {}: {}: {}: {}{}", each.place(), each.name, label,
                                          name_of(error.kind()), error.full_text(),
                                          drawn_text(each)));
  }
}

ModeReport run_variations(const Case& each, const Baseline& baseline,
                          const std::vector<Variation>& variations) {
  ModeReport report;
  for (const Variation& variation : variations) {
    noting_problems(report, each, variation.label, [&] {
      const engine::Session session(variation.settings);
      const engine::Stages stages = plan_case(each, session);
      const kernels::Registry kernels =
          variation.cost_seed ? perturbed_kernels(*variation.cost_seed) : session.setup().kernels();
      const kernels::Context context{session.functions(), session.aggregates(), kernels,
                                     session.machine(), session.context().last_kernel};
      plan::TaskGraph tasks = stages.plan().tasks;
      std::vector<std::string> problems = problems_of(stages, session);
      if (variation.cost_seed && stages.placed() != nullptr) {
        tasks = plan::to_tasks(*stages.placed(), context);
        problems = verify(tasks, session.functions());
      }
      ++report.num_plans;
      TESSERA_CHECK(problems.empty(), "{}", fmt::join(problems, "\n"));
      if (baseline.results) {
        ++report.num_runs;
        const int64_t budget = variation.is_tight ? plan::largest_proof(tasks).smallest_budget
                                                  : *session.settings().memory_bytes;
        check_results(each, baseline,
                      run_tasks(tasks, each, {context, budget, *session.settings().workers}));
      }
    });
  }
  return report;
}

engine::Settings cut_settings(const Case& each, const Baseline& baseline,
                              const LengthOf& length_of) {
  const Cuts cuts = cuts_of(baseline.stages.choices()->bound);
  engine::Settings settings = each.settings;
  settings.planner.reset();
  settings.pieces.reset();
  for (int64_t coarseness = 0;; ++coarseness) {
    int64_t number = 0;
    for (const auto& [label, extent] : cuts.extents) {
      settings.tile[label] = std::max<int64_t>(length_of(extent, number++, coarseness), 1);
    }
    if (num_calls(cuts, settings.tile) <= std::max(kMostCalls, double(cuts.spaces.size()))) {
      return settings;
    }
  }
}

bool has_free_cuts(const Baseline& baseline) {
  return baseline.stages.choices() != nullptr;
}

std::string tile_text(const engine::Settings& settings) {
  std::vector<std::string> parts;
  for (const auto& [label, length] : settings.tile) {
    parts.push_back(fmt::format("{}={}", label, length));
  }
  return fmt::format("tile {}", fmt::join(parts, ","));
}

}  // namespace tessera::plans
