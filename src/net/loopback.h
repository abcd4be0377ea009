#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "net/delays.h"
#include "net/link.h"

namespace tessera::net {

/// Delays of every message and every offer.
using LoopbackOptions = DelaySettings;

/// Makes links between `num_processes` parts of one process that stand for processes, by number:
/// the readable reference, over which tests run plans of several processes. One thread copies the
/// messages, and lives as long as any of the links.
std::vector<std::unique_ptr<Link>> make_loopback(int32_t num_processes,
                                                 const LoopbackOptions& options = {});

}  // namespace tessera::net
