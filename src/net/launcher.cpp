#include "net/launcher.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace tessera::net {

namespace {

/// The variables by which a launcher identifies a process.
struct Variables {
  const char* launcher;
  const char* process;        // set for every process that it starts
  const char* num_processes;  // null: not told
  const char* num_on_host;    // null: not told
};

/// The nearest launcher first: mpirun may run in a step of Slurm, and PMIx is below both.
constexpr std::array<Variables, 4> kLaunchers = {{
    {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE"},
    {"a launcher that speaks PMI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"},
    {"a launcher that speaks PMIx", "PMIX_RANK", nullptr, nullptr},
}};

/// Returns a variable that is a whole number; nothing for any other value, such as Slurm's
/// "4(x2),3".
std::optional<int32_t> number_in(const Environment& environment, const char* name) {
  const char* const value = name == nullptr ? nullptr : environment(name);
  if (value == nullptr) {
    return std::nullopt;
  }
  const std::string_view text = value;
  int32_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

Environment environment_of_process() {
  return [](const char* name) { return std::getenv(name); };  // NOLINT(concurrency-mt-unsafe)
}

std::optional<Launcher> launcher_of(const Environment& environment) {
  for (const Variables& variables : kLaunchers) {
    if (!number_in(environment, variables.process)) {
      continue;
    }
    const std::optional<int32_t> count = number_in(environment, variables.num_processes);
    if (variables.num_processes != nullptr && !count) {
      continue;
    }
    if (count && *count <= 1) {
      return std::nullopt;
    }
    return Launcher{variables.launcher, count, number_in(environment, variables.num_on_host)};
  }
  return std::nullopt;
}

}  // namespace tessera::net
