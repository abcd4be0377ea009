#include "net/binding.h"

#include <algorithm>
#include <cstdlib>

#include <sched.h>

namespace tessera::net {

namespace {

bool may_run_on(cpu_set_t& cores) {
  return ::sched_getaffinity(0, sizeof cores, &cores) == 0;
}

}  // namespace

void leave_narrow_binding(const Environment& environment) {
  const char* const num_on_host = environment("OMPI_COMM_WORLD_LOCAL_SIZE");
  cpu_set_t bound;
  if (num_on_host == nullptr || environment("OMPI_MCA_hwloc_base_binding_policy") != nullptr ||
      !may_run_on(bound)) {
    return;
  }
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    CPU_SET(core, &cores);
  }
  // The system leaves out cores that are missing, or that the control group withholds.
  if (::sched_setaffinity(0, sizeof cores, &cores) != 0 || !may_run_on(cores)) {
    return;
  }
  const int share = CPU_COUNT(&cores) / std::max(1, std::atoi(num_on_host));
  if (share <= CPU_COUNT(&bound)) {
    ::sched_setaffinity(0, sizeof bound, &bound);
  }
}

}  // namespace tessera::net
