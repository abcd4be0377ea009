#pragma once

#include <optional>
#include <string>

#include "engine/planning/source.h"
#include "engine/planning/stages.h"
#include "engine/setup/setup.h"
#include "frontend/einsum/einsum.h"

namespace tessera::engine {

/// The first plan of a program, when all later plans of its run fit the budget too.
struct PromisedPlan {
  Stages first;
  /// "groups of Y": a number that the program does not bound, or whose bound is too large to plan
  /// the rest for. The rest is planned when it is counted, and may then be refused.
  std::optional<std::string> unbounded = std::nullopt;
};

/// Plans a program with everything that its run plans later: the rounds behind a count, for its
/// largest possible value, the rest of a program that is planned in parts, and the parts between
/// checkpoints, as if nothing were kept yet.
///
/// Errors: those of plan_stages. A BudgetError names the smallest budget under which all of these
/// plans fit.
PromisedPlan promised_plan(const Source& source, const frontend::Bindings& bindings,
                           const Setup& setup);

}  // namespace tessera::engine
