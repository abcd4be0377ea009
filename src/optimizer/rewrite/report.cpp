#include "optimizer/rewrite/report.h"

#include <iterator>
#include <utility>

namespace tessera::optimizer {

void append(OptimizeReport& report, OptimizeReport later) {
  report.applications.merge(later.applications);
  std::move(later.steps.begin(), later.steps.end(), std::back_inserter(report.steps));
  std::move(later.reasons.begin(), later.reasons.end(), std::back_inserter(report.reasons));
  std::move(later.notes.begin(), later.notes.end(), std::back_inserter(report.notes));
}

}  // namespace tessera::optimizer
