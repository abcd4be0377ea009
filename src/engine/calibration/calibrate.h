#pragma once

#include <functional>
#include <span>
#include <string>

#include "kernels/context.h"
#include "machine/machine.h"

namespace tessera::engine {

/// A measured sample.
struct MeasuredSample {
  std::string rate;
  double seconds = 0;    // of one call on every thread at once, the median of the threads
  double predicted = 0;  // by the initial rates
};

/// Returns the rates with which the predicted time of each sample's call (samples.h) is `seconds`:
/// the rates of `context.machine`, with each sampled rate set so that the cost model of its kernel
/// gives them, or the nearest value within a factor of 100. REQUIRES as many seconds as there are
/// samples of `context.machine`.
KernelRates rates_that_predict(std::span<const double> seconds, const kernels::Context& context);

/// Returns the machine of a context with rates measured on it, with all of its threads computing at
/// once like in a run, with the rate of all cores through memory, and with the date. Measures for
/// about ten seconds; `heard` receives every sample when it is done. Threads: starts as many as the
/// machine has.
/// as many as the machine has.
Machine calibrated(const kernels::Context& context,
                   const std::function<void(const MeasuredSample&)>& heard);

}  // namespace tessera::engine
