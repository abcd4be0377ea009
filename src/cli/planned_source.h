#pragma once

#include "cli/options.h"
#include "engine/files/input_files.h"
#include "engine/planning/source.h"

namespace tessera::cli {

/// A program, a stage's text or an equation as a plan takes it. What is given for its inputs is
/// added to `inputs`: files, or types in their place. Errors: `user`; those of the files.
engine::Source planned_source(const PlannedOptions& options, const CommonOptions& common,
                              engine::InputFiles& inputs);

}  // namespace tessera::cli
