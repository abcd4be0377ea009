#pragma once

#include "cli/options.h"
#include "engine/files/input_files.h"
#include "engine/planning/source.h"

namespace tessera::cli {

/// Returns a program, a stage's text or an equation as a source of plans. The files of its inputs,
/// or types in their place, are added to `inputs`. Errors: `user`; those of the files.
engine::Source planned_source(const PlannedOptions& options, const CommonOptions& common,
                              engine::InputFiles& inputs);

}  // namespace tessera::cli
