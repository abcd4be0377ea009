#include <utility>

#include "base/error.h"
#include "cli/execute.h"
#include "cli/options.h"
#include "cli/scalar_argument.h"
#include "cli/tile_argument.h"
#include "cli/type_argument.h"

namespace tessera::cli {

namespace {

/// Returns the -o options as (result, path); a path alone is for the only result.
std::vector<std::pair<std::string, std::string>> output_files(
    const std::vector<std::string>& options, size_t num_results) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const std::string& option : options) {
    const bool is_path = option.find('=') == std::string::npos && num_results == 1;
    files.push_back(
        is_path ? std::pair(std::string(), option)
                : split_binding(option, "-o NAME=path, as the program has several results"));
  }
  return files;
}

void plan_and_run(const engine::Source& source, const RunOptions& options) {
  const engine::Session session = session_of(options.common, settings_of(options.common));
  const auto headers = engine::declared_inputs(source);
  engine::InputFiles inputs(session.formats());
  for (const auto& [name, spec] :
       split_bindings(options.inputs, "NAME=file or NAME=number for an input")) {
    TESSERA_USER_CHECK(!type_argument(spec), "{}={}: a run needs data, not only its type: {}=file",
                       name, spec, name);
    const frontend::DeclaredInput* header = find_header(headers, name);
    if (header == nullptr) {
      refuse_tile_length(name + "=" + spec, options.common);
    }
    const std::optional<DType> dtype = header == nullptr ? std::nullopt : header->dtype;
    if (const std::optional<Literal> number = scalar_argument(name, spec, header)) {
      inputs.hold(name, *number, dtype);
    } else {
      inputs.open(name, spec, dtype);
    }
  }
  execute(
      session,
      {source, inputs.bindings(parameters_of(options.parameters)), inputs.sources(), {}, {}},
      [&](size_t num_results) { return output_files(options.outputs, num_results); },
      options.execution, options.common.quiet);
}

}  // namespace

void run_program(const RunOptions& options) {
  const engine::Source source = engine::load_source(options.program);
  try {
    plan_and_run(source, options);
  } catch (Error& error) {
    error.show_places_in(engine::text_of(source));
    throw;
  }
}

}  // namespace tessera::cli
