#include "kernels/choice.h"

#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "expr/text/text.h"
#include "kernels/registry.h"

namespace tessera::kernels {

namespace {

/// The cheapest that reads the program, among those that are put last or those that are not.
Candidate* cheapest_of(std::vector<Candidate>& all, const std::string& last_kernel, bool is_last) {
  Candidate* cheapest = nullptr;
  for (Candidate& candidate : all) {
    const bool may_run = candidate.reading && (candidate.kernel->name == last_kernel) == is_last;
    const bool is_cheaper = may_run && (cheapest == nullptr || candidate.reading->cost.seconds <
                                                                   cheapest->reading->cost.seconds);
    cheapest = is_cheaper ? &candidate : cheapest;
  }
  return cheapest;
}

}  // namespace

std::vector<Candidate> candidates(const expr::TileProgram& program, const CallShape& shape,
                                  const Context& context) {
  std::vector<Candidate> all;
  for (const Kernel& kernel : context.kernels.all()) {
    all.push_back({&kernel, kernel.read(program, shape, context)});
  }
  return all;
}

OrRefusal<Choice> cheapest(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  std::vector<Candidate> all = candidates(program, shape, context);
  Candidate* found = cheapest_of(all, context.last_kernel, false);
  found = found != nullptr ? found : cheapest_of(all, context.last_kernel, true);
  if (found != nullptr) {
    return Choice{found->kernel, std::move(*found->reading)};
  }
  std::string reasons;
  for (const Candidate& candidate : all) {
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", candidate.kernel->name,
                           candidate.reading.refusal().reason);
  }
  return Refusal{std::move(reasons)};
}

Choice choose(const expr::TileProgram& program, const CallShape& shape, const Context& context) {
  OrRefusal<Choice> choice = cheapest(program, shape, context);
  if (!choice) {
    throw_error(ErrorKind::user, "no kernel runs {{{}}} ({})", expr::to_text(program),
                choice.refusal().reason);
  }
  return std::move(*choice);
}

}  // namespace tessera::kernels
