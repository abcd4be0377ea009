#include "kernels/registry.h"

#include "base/error.h"
#include "expr/text/text.h"

namespace tessera::kernels {

void Registry::add(Kernel kernel) {
  TESSERA_CHECK(find(kernel.name) == nullptr, "two kernels are named {}", kernel.name);
  kernels_.push_back(std::move(kernel));
}

const Kernel* Registry::find(const std::string& name) const {
  for (const Kernel& kernel : kernels_) {
    if (kernel.name == name) {
      return &kernel;
    }
  }
  return nullptr;
}

std::vector<Candidate> Registry::candidates(const expr::TileProgram& program,
                                            const CallShape& shape) const {
  std::vector<Candidate> candidates;
  for (const Kernel& kernel : kernels_) {
    Candidate candidate{&kernel, kernel.refusal(program, shape), {}};
    if (candidate.reason.empty()) {
      candidate.cost = kernel.cost(program, shape);
    }
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

const Kernel& Registry::choose(const expr::TileProgram& program, const CallShape& shape) const {
  const std::vector<Candidate> all = candidates(program, shape);
  const auto cheapest_of = [&](bool is_last) {
    const Candidate* cheapest = nullptr;
    for (const Candidate& candidate : all) {
      const bool may_run = candidate.reason.empty() && (candidate.kernel->name == last_) == is_last;
      const bool is_cheaper =
          cheapest == nullptr || candidate.cost.seconds < cheapest->cost.seconds;
      cheapest = may_run && is_cheaper ? &candidate : cheapest;
    }
    return cheapest;
  };
  const Candidate* cheapest = cheapest_of(false);
  cheapest = cheapest != nullptr ? cheapest : cheapest_of(true);
  if (cheapest == nullptr) {
    std::string reasons;
    for (const Candidate& candidate : all) {
      reasons += (reasons.empty() ? "" : "; ") + candidate.kernel->name + ": " + candidate.reason;
    }
    throw_error(ErrorKind::user, "no kernel runs {{{}}} ({})", expr::to_text(program), reasons);
  }
  return *cheapest->kernel;
}

}  // namespace tessera::kernels
