#pragma once

#include <map>
#include <string>

#include "options.h"
#include "peers.h"
#include "row.h"

namespace tessera::bench {

/// What a processor and its memory do at most, measured by loops.
struct Peaks {
  double f32_per_second = 0;
  double f64_per_second = 0;
  double bytes_per_second = 0;
};
Peaks measured_peaks(int workers);

/// A row as it was measured: medians of turns, in each of which ours, every limit and every peer
/// ran one after the other.
struct Measurement {
  double seconds = 0;
  double predicted = 0;
  std::string limit;  // the quickest
  double limit_seconds = 0;
  double ratio = 0;                     // the median of the turns' ratios
  std::map<std::string, double> peers;  // their seconds
  double difference = 0;                // of the results, relative above 1
};

Measurement measured(const Row& row, const Options& options, const Peaks& peaks, Peers& peers);

}  // namespace tessera::bench
