#include "net/join.h"

#include <optional>
#include <utility>

#include <dlfcn.h>

#include "base/error.h"
#include "net/binding.h"
#include "net/delays.h"
#include "net/launcher.h"
#include "net/mpi_library.h"

namespace tessera::net {

namespace {

constexpr const char* kLibrary = "libtessera_mpi.so";

[[noreturn]] void refuse_loading(const Launcher& launcher) {
  throw_error(ErrorKind::unsupported,
              "running under {} with others needs {}, which is built where MPI (Debian's "
              "libopenmpi-dev) is installed: {}",
              launcher.name, kLibrary,
              ::dlerror());  // NOLINT(concurrency-mt-unsafe): no other thread loads anything
}

JoinFunction join_function(const Launcher& launcher) {
  // Searches where the program's library path leads. The library stays open, like MPI: a process
  // can enter it only once. Its symbols are visible to the libraries that MPI loads in turn.
  void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    refuse_loading(launcher);
  }
  const auto function = reinterpret_cast<JoinFunction>(::dlsym(library, kJoinFunctionName));
  if (function == nullptr) {
    refuse_loading(launcher);
  }
  return function;
}

}  // namespace

std::unique_ptr<Link> join() {
  const Environment environment = environment_of_process();
  leave_narrow_binding(environment);
  const std::optional<Launcher> launcher = launcher_of(environment);
  if (!launcher) {
    return nullptr;
  }
  const char* const delays = environment("TESSERA_LINK_DELAY");
  JoinAnswer answer;
  join_function (*launcher)(*launcher, parse_delays(delays == nullptr ? "0" : delays), answer);
  if (answer.error) {
    throw *std::move(answer.error);
  }
  return std::move(answer.link);
}

}  // namespace tessera::net
