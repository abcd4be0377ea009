#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "cli/operands.h"
#include "cli/options.h"
#include "cli/run_plan.h"

namespace tessera::cli {

namespace {

/// Names for the operands, for messages and plans: the files' own, told apart where two are equal.
std::vector<std::string> names_of(const std::vector<std::string>& specs) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const std::string& spec : specs) {
    const std::string stem = std::filesystem::path(spec.substr(spec.find(':') + 1)).stem().string();
    std::string name = stem;
    for (int copy = 2; !taken.insert(name).second; ++copy) {
      name = fmt::format("{}_{}", stem, copy);
    }
    names.push_back(std::move(name));
  }
  return names;
}

engine::Equation equation_of(const EinsumOptions& options) {
  const size_t start = std::min(options.equation.find_first_not_of(' '), options.equation.size());
  engine::Equation equation{options.equation.substr(start), names_of(options.operands), {}};
  if (!options.join.empty()) {
    equation.options.join = options.join;
  }
  if (!options.aggregate.empty()) {
    equation.options.aggregate = options.aggregate;
  }
  return equation;
}

void plan_and_run(const engine::Equation& equation, const EinsumOptions& options) {
  const engine::Session session(settings_of(options.common));
  Operands operands(session.formats());
  for (size_t number = 0; number < options.operands.size(); ++number) {
    operands.open(equation.operands[number], options.operands[number], std::nullopt);
  }
  const engine::Stages stages = session.plan(equation, {operands.types(), {}});
  const std::vector<plan::SinkInfo>& sinks = stages.plan().tasks.sinks;
  std::map<std::string, std::string> files;
  if (!options.output.empty()) {
    files[sinks.front().name] = options.output;
  }
  Results results(session.formats(), sinks, files);
  run_plan(session, stages, operands, results, options.execution, options.common.quiet);
}

}  // namespace

void run_einsum(const EinsumOptions& options) {
  const engine::Equation equation = equation_of(options);
  try {
    plan_and_run(equation, options);
  } catch (Error& error) {
    error.show_places_in(engine::text_of(equation));
    throw;
  }
}

}  // namespace tessera::cli
