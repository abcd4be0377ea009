#include "engine/forecast/duration.h"

#include <fmt/format.h>

namespace tessera::engine {

namespace {

constexpr double kSecondsPerYear = 365.25 * 24 * 3600;
constexpr double kMostYears = 100;

}  // namespace

std::optional<std::string> never_ends(const plan::TaskGraph& graph) {
  double seconds = 0;
  const plan::TaskInfo* longest = nullptr;
  for (const plan::TaskInfo& task : graph.tasks) {
    seconds += task.seconds;
    longest = longest == nullptr || task.seconds > longest->seconds ? &task : longest;
  }
  const double years = seconds / kSecondsPerYear;
  if (!(years > kMostYears)) {
    return std::nullopt;
  }
  return fmt::format(
      "this plan would take about {:.1g} years: one task of {} has {:.1g} operations; contract "
      "fewer "
      "tensors at once, or shorter labels",
      years, to_string(*longest->origin), longest->flops);
}

}  // namespace tessera::engine
