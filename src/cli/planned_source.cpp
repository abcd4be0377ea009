#include "cli/planned_source.h"

#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "cli/equation_argument.h"
#include "cli/scalar_argument.h"
#include "cli/tile_argument.h"
#include "cli/type_argument.h"

namespace tessera::cli {

namespace {

/// Adds an input by its type or its file. No data are read, so a type is enough.
void declare_or_open(engine::InputFiles& inputs, const std::string& name, const std::string& spec) {
  if (std::optional<ArrayType> type = type_argument(spec)) {
    inputs.declare(name, std::move(*type));
  } else {
    inputs.open(name, spec, std::nullopt);
  }
}

/// Returns an equation with its operands.
engine::Source equation_source(const PlannedOptions& options, const CommonOptions& common,
                               engine::InputFiles& inputs) {
  engine::Equation equation{equation_text(options.program), {}, {}};
  for (const std::string& argument : options.inputs) {
    refuse_tile_length(argument, common);
  }
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

/// Returns a program's file, or a stage's text, with its inputs.
engine::Source file_source(const PlannedOptions& options, const CommonOptions& common,
                           engine::InputFiles& inputs) {
  TESSERA_USER_CHECK(options.join.empty() && options.aggregate.empty(),
                     "--join and --agg belong to an equation, and {} is none", options.program);
  engine::Source source = engine::load_source(options.program);
  const std::string expected = "NAME=f32[1000,64] or NAME=file for an input";
  const auto headers = engine::declared_inputs(source);
  for (const auto& [name, spec] : split_bindings(options.inputs, expected)) {
    const frontend::DeclaredInput* header = find_header(headers, name);
    if (header == nullptr) {
      refuse_tile_length(name + "=" + spec, common);
    }
    if (const std::optional<Literal> number = scalar_argument(name, spec, header)) {
      inputs.hold(name, *number, header == nullptr ? std::nullopt : header->dtype);
    } else {
      declare_or_open(inputs, name, spec);
    }
  }
  for (const auto& [name, type] : engine::declared_types(source)) {
    if (!inputs.types().contains(name)) {
      inputs.declare(name, type);
    }
  }
  return source;
}

}  // namespace

engine::Source planned_source(const PlannedOptions& options, const CommonOptions& common,
                              engine::InputFiles& inputs) {
  return is_equation(options.program, options.inputs) ? equation_source(options, common, inputs)
                                                      : file_source(options, common, inputs);
}

}  // namespace tessera::cli
