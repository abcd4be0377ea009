#include <algorithm>

#include "base/error.h"
#include "cli/execute.h"
#include "cli/options.h"
#include "cli/tile_argument.h"

namespace tessera::cli {

namespace {

engine::Equation equation_of(const EinsumOptions& options) {
  const size_t start = std::min(options.equation.find_first_not_of(' '), options.equation.size());
  engine::Equation equation{
      options.equation.substr(start), engine::operand_names(options.operands), {}};
  if (!options.join.empty()) {
    equation.options.join = options.join;
  }
  if (!options.aggregate.empty()) {
    equation.options.aggregate = options.aggregate;
  }
  return equation;
}

void plan_and_run(const engine::Equation& equation, const EinsumOptions& options) {
  const engine::Session session = session_of(options.common, settings_of(options.common));
  engine::InputFiles inputs(session.formats());
  for (size_t number = 0; number < options.operands.size(); ++number) {
    refuse_tile_length(options.operands[number], options.common);
    inputs.open(equation.operands[number], options.operands[number], std::nullopt);
  }
  std::vector<std::pair<std::string, std::string>> files;
  if (!options.output.empty()) {
    files.emplace_back("", options.output);
  }
  execute(
      session, {equation, inputs.bindings({}), inputs.sources(), {}, {}},
      [&](size_t) { return files; }, options.execution, options.common.quiet);
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
