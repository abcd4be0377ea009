#pragma once

#include <string>
#include <vector>

#include "plans/runner/case_file.h"

namespace tessera::plans {

/// What a case as it is written came to.
struct CaseReport {
  std::vector<std::string> problems;  // each begins with file and line
  std::vector<Rewrite> seen;          // of sections that differ
};

/// Plans a case, verifies its stages, and looks at its expectations and sections. A case without a
/// section is run too.
CaseReport check_case(const Case& each);

/// The registered rules for which no case of these has both an `expect` and an `expect-not`, in
/// words; empty where there are none.
std::vector<std::string> rules_without_cases(const std::vector<Case>& cases);

}  // namespace tessera::plans
