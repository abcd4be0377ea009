#pragma once

#include <string>
#include <vector>

#include "sql/runner/sql_case.h"

namespace tessera::sql_cases {

/// A way to run a case that may change no result.
struct SqlMode {
  std::string name;
  std::string summary;
  void (*apply)(CaseSettings& settings) = nullptr;
  bool reopens = false;  // before each step, unless a transaction is open
};

/// Returns the mode that leaves the settings of a case as they are.
const SqlMode& as_written();

/// Returns every other mode, in the order of the help text.
const std::vector<SqlMode>& all_sql_modes();

}  // namespace tessera::sql_cases
