#include "kernels/registry.h"

#include "base/error.h"

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
    Candidate candidate{&kernel, kernel.refuses(program, shape), {}};
    if (candidate.reason.empty()) {
      candidate.cost = kernel.cost(program, shape);
    }
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

const Kernel& Registry::choose(const expr::TileProgram& program, const CallShape& shape) const {
  const Kernel* cheapest = nullptr;
  double least_seconds = 0;
  for (const Candidate& candidate : candidates(program, shape)) {
    const bool is_cheaper = cheapest == nullptr || candidate.cost.seconds < least_seconds;
    if (candidate.reason.empty() && is_cheaper) {
      cheapest = candidate.kernel;
      least_seconds = candidate.cost.seconds;
    }
  }
  TESSERA_CHECK(cheapest != nullptr, "none of {} kernels runs the program", kernels_.size());
  return *cheapest;
}

}  // namespace tessera::kernels
