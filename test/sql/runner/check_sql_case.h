#pragma once

#include "plans/runner/check_case.h"
#include "sql/runner/sql_case.h"
#include "sql/runner/sql_modes.h"

namespace tessera::sql_cases {

/// Runs a case in a mode and compares what its steps give with what the file expects. The report's
/// problems begin with file and line.
plans::CaseReport check_sql_case(const SqlCase& each, const SqlMode& mode = as_written());

}  // namespace tessera::sql_cases
