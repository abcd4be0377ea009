// The library that only a process among others loads: only files below this folder know MPI.

#include <exception>
#include <memory>

#include "base/error.h"
#include "net/mpi/mpi_link.h"
#include "net/mpi/surroundings.h"
#include "net/mpi_library.h"

extern "C" void tessera_join(const tessera::net::Launcher& launcher,
                             const tessera::net::DelaySettings& delays,
                             tessera::net::JoinAnswer& answer) {
  using tessera::Error;
  using tessera::ErrorKind;
  try {
    tessera::net::prepare_for_mpi(launcher, tessera::net::environment_of_process());
    auto link = std::make_unique<tessera::net::MpiLink>(launcher, delays);
    if (link->num_processes() > 1) {
      answer.link = std::move(link);
    }
  } catch (const Error& error) {
    answer.error = error;
  } catch (const std::exception& error) {
    answer.error.emplace(ErrorKind::internal, error.what());
  }
}
