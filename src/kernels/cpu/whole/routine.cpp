#include "kernels/cpu/whole/routine.h"

#include <utility>

#include "base/error.h"

namespace tessera::kernels {

void RoutineRegistry::add(Routine routine) {
  const std::string name = routine.name;
  const bool is_new = routines_.emplace(name, std::move(routine)).second;
  TESSERA_CHECK(is_new, "two routines are named {}", name);
}

const Routine* RoutineRegistry::find(const std::string& name) const {
  const auto found = routines_.find(name);
  return found == routines_.end() ? nullptr : &found->second;
}

}  // namespace tessera::kernels
