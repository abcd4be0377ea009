#include <algorithm>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/suggest.h"
#include "cli/operands.h"
#include "cli/options.h"
#include "cli/run_plan.h"
#include "cli/type_argument.h"

namespace tessera::cli {

namespace {

/// The dtypes that a program's header says, by input; a stage's text says them itself.
std::map<std::string, std::optional<DType>> declared_dtypes(const engine::Source& source) {
  std::map<std::string, std::optional<DType>> dtypes;
  if (const auto* program = std::get_if<engine::Program>(&source)) {
    auto inputs = frontend::inputs_of_program(program->source);
    for (const frontend::DeclaredInput& input : inputs.value()) {
      dtypes[input.name] = input.dtype;
    }
  }
  return dtypes;
}

/// Which file each result goes to, from the -o options. Errors: `user`, also for a result that goes
/// to two.
std::map<std::string, std::string> output_files(const std::vector<std::string>& options,
                                                const std::vector<plan::SinkInfo>& sinks) {
  std::vector<std::string> names;
  for (const plan::SinkInfo& sink : sinks) {
    names.push_back(sink.name);
  }
  std::map<std::string, std::string> files;
  for (const std::string& option : options) {
    const bool only_path = option.find('=') == std::string::npos && names.size() == 1;
    const auto [name, path] =
        only_path ? std::pair(names.front(), option)
                  : split_binding(option, "-o NAME=path, as the program has several results");
    const std::string suggestion = did_you_mean(name, names);
    TESSERA_USER_CHECK(std::find(names.begin(), names.end(), name) != names.end(),
                       "-o {}: the program has no result of that name; it has {}{}", name,
                       fmt::join(names, ", "), suggestion.empty() ? "" : "; " + suggestion);
    const auto [before, is_new] = files.emplace(name, path);
    TESSERA_USER_CHECK(is_new, "-o {}: {} goes to {} already; a result goes to one file", option,
                       name, before->second);
  }
  return files;
}

void plan_and_run(const engine::Source& source, const RunOptions& options) {
  const engine::Session session(settings_of(options.common));
  const auto dtypes = declared_dtypes(source);
  Operands operands(session.formats());
  for (const auto& [name, spec] : split_bindings(options.inputs, "NAME=file for an input")) {
    TESSERA_USER_CHECK(!type_argument(spec), "{}={}: a run needs data, not only its type: {}=file",
                       name, spec, name);
    const auto dtype = dtypes.find(name);
    operands.open(name, spec, dtype == dtypes.end() ? std::nullopt : dtype->second);
  }
  const engine::Stages stages =
      session.plan(source, {operands.types(), parameters_of(options.parameters)});
  const std::vector<plan::SinkInfo>& sinks = stages.plan().tasks.sinks;
  Results results(session.formats(), sinks, output_files(options.outputs, sinks));
  run_plan(session, stages, operands, results, options.execution, options.common.quiet);
}

}  // namespace

void run_program(const RunOptions& options) {
  const engine::Source source = load_source(options.program);
  try {
    plan_and_run(source, options);
  } catch (Error& error) {
    error.show_places_in(engine::text_of(source));
    throw;
  }
}

}  // namespace tessera::cli
