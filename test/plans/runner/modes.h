#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plans/runner/case_run.h"

namespace tessera::plans {

/// A case as it is planned and run by default: what every mode is compared with.
struct Baseline {
  std::shared_ptr<const engine::Session> session;
  engine::Stages stages;
  double work = 0;
  std::optional<Results> results;  // none where running it would take too long
};

/// Nothing where the case is refused, or is for several sites.
std::optional<Baseline> baseline_of(const Case& each);

/// What came of a case in a mode.
struct ModeReport {
  int64_t num_plans = 0;
  int64_t num_runs = 0;
  std::vector<std::string> problems;
};

/// A way to plan and run that may change no result. In every one the stages are verified, and what
/// is computed is compared with the default.
struct Mode {
  std::string name;
  std::string summary;
  ModeReport (*run)(const Case& each, const Baseline& baseline) = nullptr;
};

/// Every mode, in the order in which they are listed for people.
const std::vector<Mode>& all_modes();

}  // namespace tessera::plans
