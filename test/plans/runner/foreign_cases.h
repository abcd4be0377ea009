#pragma once

#include <filesystem>
#include <vector>

#include "plans/runner/case_file.h"

namespace tessera::plans {

/// The cases of test/cases as programs on small integers, without anything that is expected of
/// them: for the modes, which compare a case with itself. Those that must be refused and networks
/// of many tensors are left out.
std::vector<Case> foreign_cases(const std::filesystem::path& folder);

}  // namespace tessera::plans
