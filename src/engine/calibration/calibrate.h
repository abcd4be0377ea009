#pragma once

#include <functional>
#include <span>
#include <string>

#include "kernels/context.h"
#include "machine/machine.h"

namespace tessera::engine {

/// A sample as it was measured.
struct MeasuredSample {
  std::string rate;
  double seconds = 0;    // of one call on every thread at once, in the median of the threads
  double predicted = 0;  // by the rates that it began with
};

/// The rates by which a call of each sample (samples.h) is predicted to take so many seconds: those
/// of `context.machine`, but each that a sample is of, such that the cost model of the sample's
/// kernel gives them, or comes as near to them as a rate within 100 times of it does. REQUIRES as
/// many as there are samples of `context.machine`.
KernelRates rates_that_predict(std::span<const double> seconds, const kernels::Context& context);

/// The machine of a context with those by which the calls take what they take on it, where all of
/// its threads compute at once, as in a run, with what its cores get through memory together, and
/// with the date.
/// Measures for about ten seconds; `heard` is told of every sample when it is done. Threads: starts
/// as many as the machine has.
Machine calibrated(const kernels::Context& context,
                   const std::function<void(const MeasuredSample&)>& heard);

}  // namespace tessera::engine
