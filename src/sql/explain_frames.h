#pragma once

#include <string>
#include <vector>

#include "sql/tensor_part.h"

namespace tessera::sql {

/// How a program is cut in frames: what each leaves for later ones, and the edges that are cut;
/// nothing where there is one frame.
std::string explain_frames(const TensorProgram& program, const TensorProgram::Schedule& schedule);

/// The first of some names, and how many more there are.
std::string first_names(const std::vector<std::string>& names);

}  // namespace tessera::sql
