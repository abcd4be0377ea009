#include "measurement.h"

#include <algorithm>
#include <chrono>

#include "loops/peak.h"
#include "ours.h"

namespace tessera::bench {

namespace {

using Clock = std::chrono::steady_clock;

/// Ours runs so often in a turn, and so does each limit: the least counts.
constexpr int kRunsOfATurn = 3;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

/// Seconds of what arithmetic and memory take at least.
double bound_of(const Row& row, const Array& result, const Peaks& peaks) {
  double bytes = static_cast<double>(size_in_bytes(result.type()));
  bool is_double = false;
  for (const Input& input : row.inputs) {
    bytes += static_cast<double>(size_in_bytes(input.type));
    is_double = is_double || input.type.dtype == DType::f64 || input.type.dtype == DType::c128;
  }
  const double flops = row.work.is_bytes ? 0 : row.work.amount;
  return std::max(flops / (is_double ? peaks.f64_per_second : peaks.f32_per_second),
                  bytes / peaks.bytes_per_second);
}

/// A row with its operands, as it is measured.
class Race {
 public:
  Race(const Row& row, const Options& options, const Peaks& peaks)
      : row_(row),
        options_(options),
        inputs_(inputs_of(row)),
        ours_(row, inputs_, options, row.reproducible),
        result_(ours_.result_type()),
        other_(ours_.result_type()),
        bound_(bound_of(row, result_, peaks)),
        limits_(row.limits.size()) {
    if (row.reproducible) {
      plain_.emplace(row, inputs_, options, false);
    }
  }

  /// The largest difference between our result and one of the limits'.
  double difference() {
    double largest = 0;
    ours_.run(1, &result_);
    for (const Limit& limit : row_.limits) {
      limit.run(inputs_, other_, options_.workers);
      largest =
          limit.is_the_same ? std::max(largest, largest_difference(result_, other_)) : largest;
    }
    if (plain_) {
      plain_->run(1, &other_);
      largest = largest_difference(result_, other_);
    }
    return largest;
  }

  void turn(Peers& peers) {
    const Ours ours = ours_.run(kRunsOfATurn, nullptr);
    predicted_ = ours.predicted;
    seconds_.push_back(least(ours.seconds));
    double quickest = plain_ ? least(plain_->run(kRunsOfATurn, nullptr).seconds) : 1e30;
    for (size_t number = 0; number < limits_.size(); ++number) {
      limits_[number].push_back(limit_seconds(row_.limits[number]));
      quickest = std::min(quickest, limits_[number].back());
    }
    ratios_.push_back(seconds_.back() / (quickest < 1e30 ? quickest : bound_));
    if (plain_) {
      plain_seconds_.push_back(quickest);
    }
    for (const auto& [peer, seconds] : peers.turn()) {
      peers_[peer].push_back(seconds);
    }
  }

  Measurement medians() const {
    Measurement all{median(seconds_), predicted_, "bound", bound_, median(ratios_), {}, 0};
    if (plain_) {
      all.limit = "without";
      all.limit_seconds = median(plain_seconds_);
    }
    for (size_t number = 0; number < limits_.size(); ++number) {
      const double seconds = median(limits_[number]);
      if (number == 0 || seconds < all.limit_seconds) {
        all.limit = row_.limits[number].name;
        all.limit_seconds = seconds;
      }
    }
    for (const auto& [peer, seconds] : peers_) {
      all.peers[peer] = median(seconds);
    }
    return all;
  }

 private:
  static std::vector<Array> inputs_of(const Row& row) {
    std::vector<Array> inputs;
    for (const Input& input : row.inputs) {
      inputs.emplace_back(input.type);
      fill(inputs.back(), input.low, input.high);
    }
    return inputs;
  }

  double limit_seconds(const Limit& limit) const {
    double best = 1e30;
    for (int run = 0; run < kRunsOfATurn; ++run) {
      const auto start = Clock::now();
      limit.run(inputs_, other_, options_.workers);
      best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return best;
  }

  const Row& row_;
  const Options& options_;
  std::vector<Array> inputs_;
  Program ours_;
  std::optional<Program> plain_;
  Array result_;
  Array other_;
  double bound_;
  double predicted_ = 0;
  std::vector<double> seconds_;
  std::vector<double> plain_seconds_;
  std::vector<double> ratios_;
  std::vector<std::vector<double>> limits_;
  std::map<std::string, std::vector<double>> peers_;
};

}  // namespace

Peaks measured_peaks(int workers) {
  return {measured_peak(DType::f32, workers), measured_peak(DType::f64, workers),
          measured_bandwidth(workers)};
}

Measurement measured(const Row& row, const Options& options, const Peaks& peaks, Peers& peers) {
  Race race(row, options, peaks);
  const double difference = race.difference();
  peers.prepare(row);
  for (int turn = 0; turn < options.turns; ++turn) {
    race.turn(peers);
  }
  Measurement result = race.medians();
  result.difference = difference;
  return result;
}

}  // namespace tessera::bench
