#pragma once

#include <atomic>

#include "runtime/executor.h"

namespace tessera::engine {

/// A caller's means to follow a run and to end it (runtime/executor.h).
struct RunControl {
  const std::atomic<bool>* cancelled = nullptr;
  runtime::RunListener* listener = nullptr;
};

}  // namespace tessera::engine
