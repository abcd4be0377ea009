#pragma once

#include "machine/machine.h"
#include "net/link.h"

namespace tessera::engine {

/// The machine that all processes of a run plan for: of memory, and of every core that it may run
/// on, a process has its even part of what its host gives, and what is planned for is the least
/// that any has, as is the instruction set. REQUIRES, as all that processes say to each other
/// (net/messages.h), that every process calls it at the same point.
Machine common_machine(net::Link& link, Machine own);

}  // namespace tessera::engine
