#include "net/mpi/session.h"

#include <algorithm>
#include <array>

#include <mpi.h>

#include "base/error.h"
#include "net/mpi/active_requests.h"
#include "net/mpi/tags.h"

namespace tessera::net {

namespace {

/// Returns the library's name from its first line: "Open MPI v4.1.4".
std::string library_name() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int num_characters = 0;
  MPI_Get_library_version(text.data(), &num_characters);
  const std::string name(text.data(), static_cast<size_t>(num_characters));
  return name.substr(0, name.find_first_of(",\n"));
}

}  // namespace

Session::Session(const Launcher& launcher) {
  int provided = MPI_THREAD_SINGLE;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  // From here on a fault of MPI is an ordinary error, and does not end the process.
  check_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  if (provided < MPI_THREAD_FUNNELED) {
    throw_error(ErrorKind::unsupported, "{} does not run in a program with threads",
                library_name());
  }
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &process_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &num_processes_), "MPI_Comm_size");
  check(launcher);
  find_hosts();
}

void Session::check(const Launcher& launcher) const {
  if (launcher.num_processes && *launcher.num_processes != num_processes_) {
    throw_error(
        ErrorKind::unsupported,
        "{} started {} processes, but MPI finds {}: start them with the launcher of the MPI "
        "library that this program is built with, {}",
        launcher.name, *launcher.num_processes, num_processes_, library_name());
  }
  int* bound = nullptr;
  int is_known = 0;
  check_mpi(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &is_known), "MPI_Comm_get_attr");
  TESSERA_CHECK(is_known != 0 && std::max(kWordTag, kDataTag) <= *bound, "MPI has no tags up to {}",
                std::max(kWordTag, kDataTag));
}

void Session::find_hosts() {
  using Name = std::array<char, MPI_MAX_PROCESSOR_NAME>;
  Name own{};
  int num_characters = 0;
  check_mpi(MPI_Get_processor_name(own.data(), &num_characters), "MPI_Get_processor_name");
  std::vector<Name> names(static_cast<size_t>(num_processes_));
  check_mpi(MPI_Allgather(own.data(), static_cast<int>(own.size()), MPI_CHAR, names.data(),
                          static_cast<int>(own.size()), MPI_CHAR, MPI_COMM_WORLD),
            "MPI_Allgather");
  for (const Name& name : names) {
    hosts_.emplace_back(name.begin(), std::find(name.begin(), name.end(), '\0'));
  }
}

void Session::end() {
  check_mpi(MPI_Finalize(), "MPI_Finalize");
}

}  // namespace tessera::net
