#pragma once

#include <atomic>

#include "runtime/executor.h"

namespace tessera::engine {

/// How a caller follows a run and ends it (runtime/executor.h).
struct RunControl {
  const std::atomic<bool>* cancelled = nullptr;
  runtime::RunListener* listener = nullptr;
};

}  // namespace tessera::engine
