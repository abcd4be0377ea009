#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "net/delays.h"
#include "net/link.h"

namespace tessera::net {

/// Every message is held back, and every word that memory is offered.
using LoopbackOptions = DelaySettings;

/// Links between so many parts of one process that stand for processes, by number: the readable
/// reference, and what tests run plans of several processes over. Messages are copied by one
/// thread, which lives as long as any of the links.
std::vector<std::unique_ptr<Link>> make_loopback(int32_t num_processes,
                                                 const LoopbackOptions& options = {});

}  // namespace tessera::net
