#include "engine/calibration/calibrate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "engine/calibration/sample_call.h"
#include "engine/calibration/samples.h"
#include "machine/rate_names.h"

namespace tessera::engine {

namespace {

/// The greatest factor between a measured rate and the built-in one.
constexpr double kMostChange = 100;
/// Rounds of solving: a cost has parts of several rates, so they are solved for in turn.
constexpr int kSweeps = 4;
/// Bisections, each of which halves the range of a rate.
constexpr int kHalvings = 40;

/// Sets a rate so that the predicted time of a call is `seconds`, or as near as a rate within
/// kMostChange gets. Costs are monotonic in a rate; a rate without effect on this machine keeps its
/// built-in value.
void solve(const SampleCall& call, double seconds, double KernelRates::*rate, double built_in,
           KernelRates& rates) {
  const auto predicted_at = [&](double value) {
    rates.*rate = value;
    return call.predicted(rates).seconds;
  };
  double low = std::log(built_in / kMostChange);
  double high = std::log(built_in * kMostChange);
  const double at_low = predicted_at(std::exp(low));
  const double at_high = predicted_at(std::exp(high));
  for (int step = 0; step < kHalvings; ++step) {
    const double middle = (low + high) / 2;
    const bool is_slow = predicted_at(std::exp(middle)) > seconds;
    (is_slow == (at_low > at_high) ? low : high) = middle;
  }
  rates.*rate = at_low == at_high ? built_in : std::exp((low + high) / 2);
}

/// Returns the rate through memory of all cores together, by the first sample: a call takes longer
/// if all run it at once, and only memory traffic does.
double shared_bytes_per_second(const Machine& machine, const kernels::Context& context) {
  const SampleCall call(samples_of(machine).front(), context);
  const kernels::Cost alone = call.predicted(machine.rates);
  const double through_memory = alone.bytes / machine.rates.bytes_per_second;
  const double longer = call.measured(machine.threads) - alone.seconds;
  return machine.threads * alone.bytes / (through_memory + std::max(longer, 0.0));
}

}  // namespace

KernelRates rates_that_predict(std::span<const double> seconds, const kernels::Context& context) {
  const std::vector<Sample> samples = samples_of(context.machine);
  std::vector<SampleCall> calls;
  for (const Sample& sample : samples) {
    calls.emplace_back(sample, context);
  }
  const KernelRates& built_in = context.machine.rates;
  KernelRates rates = built_in;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (size_t number = 0; number < calls.size(); ++number) {
      double KernelRates::*const rate = kernel_rates().at(std::string(samples[number].rate));
      solve(calls[number], seconds[number], rate, built_in.*rate, rates);
    }
  }
  return rates;
}

Machine calibrated(const kernels::Context& context,
                   const std::function<void(const MeasuredSample&)>& heard) {
  Machine machine = context.machine;
  std::vector<double> seconds;
  for (const Sample& sample : samples_of(context.machine)) {
    const SampleCall call(sample, context);
    seconds.push_back(call.measured(sample.is_alone ? 1 : machine.threads));
    heard(
        {std::string(sample.rate), seconds.back(), call.predicted(context.machine.rates).seconds});
  }
  machine.rates = rates_that_predict(seconds, context);
  machine.shared_bytes_per_second = shared_bytes_per_second(machine, context);
  machine.rates_measured = fmt::format("{:%Y-%m-%d}", std::chrono::system_clock::now());
  return machine;
}

}  // namespace tessera::engine
