#include "net/mpi/surroundings.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/byte_size.h"
#include "base/error.h"

namespace tessera::net {

namespace {

constexpr const char* kCopying = "OMPI_MCA_btl_vader_single_copy_mechanism";
constexpr const char* kTransports = "OMPI_MCA_btl";
constexpr const char* kBackingDirectory = "OMPI_MCA_btl_vader_backing_directory";
/// The shared memory that Open MPI 4.1 makes for each process, and other users of it.
constexpr int64_t kSharedBytes = int64_t{4} << 20;
constexpr int64_t kSlackBytes = int64_t{1} << 20;

/// True if this process may read another's memory: containers may forbid the call, or the kernel
/// may require rights. Open MPI 4.1 finds out too late, when the first message is lost.
bool may_copy_between_processes() {
  int64_t value = 0;
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (::getppid() == parent) {  // it may have ended before prctl took effect
      ::pause();
    }
    ::_exit(0);
  }
  if (child < 0) {
    return true;  // unknown; MPI finds out
  }
  int64_t copy = 0;
  const iovec here = {&copy, sizeof(copy)};
  const iovec there = {&value, sizeof(value)};
  const bool was_copied = ::process_vm_readv(child, &here, 1, &there, 1, 0) == sizeof(copy);
  ::kill(child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return was_copied;
}

/// True if Open MPI would move bytes over shared memory, by the user's choices.
bool uses_shared_memory(const Environment& environment) {
  const char* const value = environment(kTransports);
  if (value == nullptr) {
    return true;
  }
  const std::string_view transports = value;
  return transports.starts_with('^') != (transports.find("vader") != std::string_view::npos);
}

/// Checks that there is enough shared memory. It is not taken when MPI starts but when it is first
/// written, and a process that is refused then is killed silently. Every process checks and
/// reports: one that went on alone would wait for the others, under srun for ever.
void check_shared_memory(const Launcher& launcher, const Environment& environment) {
  const char* const chosen = environment(kBackingDirectory);
  const char* const directory = chosen == nullptr ? "/dev/shm" : chosen;
  const int64_t num_processes = launcher.num_on_host.value_or(1);
  const int64_t needed = num_processes * kSharedBytes + kSlackBytes;
  struct statvfs system = {};
  if (::statvfs(directory, &system) != 0) {
    return;  // MPI uses another one
  }
  const auto free = static_cast<int64_t>(system.f_bavail * system.f_frsize);
  if (free < needed) {
    throw_error(
        ErrorKind::resource,
        "{} has {} free, but MPI needs {} there for {} processes on this host: enlarge it, "
        "as where the container is started, or set {} to a folder of a local disk, or {} to ^vader",
        directory, byte_size_text(free), byte_size_text(needed), num_processes, kBackingDirectory,
        kTransports);
  }
}

}  // namespace

void prepare_for_mpi(const Launcher& launcher, const Environment& environment) {
  // SIGTERM would not end a process that is stuck in a system call or in MPI, and only one signal
  // can be chosen. SIGKILL leaves nameless files, and results under their temporary names.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (environment(kCopying) == nullptr && !may_copy_between_processes()) {
    ::setenv(kCopying, "none", 0);  // NOLINT(concurrency-mt-unsafe): no other thread yet
  }
  if (uses_shared_memory(environment)) {
    check_shared_memory(launcher, environment);
  }
}

}  // namespace tessera::net
