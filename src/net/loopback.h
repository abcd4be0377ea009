#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "net/link.h"

namespace tessera::net {

struct LoopbackOptions {
  /// Every message, and every word that memory is offered, takes a drawn time up to this.
  std::chrono::microseconds longest_delay{0};
  uint64_t seed = 0;  // of the draws
};

/// Links between so many parts of one process that stand for processes, by number: the readable
/// reference, and what tests run plans of several processes over. Messages are copied by one
/// thread, which lives as long as any of the links.
std::vector<std::unique_ptr<Link>> make_loopback(int32_t num_processes,
                                                 const LoopbackOptions& options = {});

}  // namespace tessera::net
