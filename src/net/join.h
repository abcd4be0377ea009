#pragma once

#include <memory>

#include "net/link.h"

namespace tessera::net {

/// Returns this process's link to those that a launcher started with it; null if it runs alone, and
/// then no MPI is loaded.
///
/// The environment variable TESSERA_LINK_DELAY=MICROSECONDS[,SEED] delays every message and offer
/// of this process by a drawn time, so that tests show that nothing depends on it.
///
/// Errors: `unsupported` if there are others and the library that knows MPI is not installed, or
/// MPI does not find them; `resource` if the host has too little shared memory for MPI; `user` for
/// a wrong TESSERA_LINK_DELAY.
///
/// Threads: called once, by the thread that lives longest, before others are started: it may change
/// the environment and the cores that they run on (binding.h), and the process is killed when its
/// launcher ends.
std::unique_ptr<Link> join();

}  // namespace tessera::net
