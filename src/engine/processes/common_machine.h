#pragma once

#include "machine/machine.h"
#include "net/link.h"

namespace tessera::engine {

/// Returns the machine that all processes of a run plan for. A process has its even part of its
/// host's memory, and of every core that it may run on; the plan assumes the least that any has,
/// also of instruction sets. REQUIRES, like all messages between processes (net/messages.h), that
/// every process calls it at the same point.
Machine common_machine(net::Link& link, Machine own);

}  // namespace tessera::engine
