#include "kernels/choice.h"

#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "expr/text/text.h"
#include "kernels/registry.h"

namespace tessera::kernels {

namespace {

/// Returns the cheapest that takes the program, among kernels that are put last or those that are
/// not.
Offer* cheapest_of(std::vector<Offer>& all, const std::string& last_kernel, bool is_last) {
  Offer* cheapest = nullptr;
  for (Offer& offer : all) {
    const bool may_run = offer.plan && (offer.kernel->name == last_kernel) == is_last;
    const bool is_cheaper =
        may_run && (cheapest == nullptr || offer.plan->cost.seconds < cheapest->plan->cost.seconds);
    cheapest = is_cheaper ? &offer : cheapest;
  }
  return cheapest;
}

}  // namespace

std::vector<Offer> offers_for(const expr::TileProgram& program, const CallShape& shape,
                              const Context& context) {
  std::vector<Offer> offers;
  offers.reserve(context.kernels.all().size());
  for (const Kernel& kernel : context.kernels.all()) {
    offers.push_back({&kernel, kernel.read(program, shape, context)});
  }
  return offers;
}

OrRefusal<Choice> cheapest(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  std::vector<Offer> all = offers_for(program, shape, context);
  Offer* found = cheapest_of(all, context.last_kernel, false);
  found = found != nullptr ? found : cheapest_of(all, context.last_kernel, true);
  if (found != nullptr) {
    return Choice{found->kernel, std::move(*found->plan)};
  }
  std::string reasons;
  for (const Offer& offer : all) {
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", offer.kernel->name,
                           offer.plan.refusal().reason);
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
