#include "kernels/cpu/staged/gather_cost.h"

#include <algorithm>

namespace tessera::kernels {

namespace {

/// Seconds to copy an element or the beginning of a row, and to look up and check a position:
/// measured on look-ups of bytes and gathers of f64 from 16 KiB (Xeon, 2026-11).
constexpr double kRowSeconds = 0.4e-9;
constexpr double kTableSeconds = 0.4e-9;
/// Seconds for one position with a pad, an edge or a mirror, which are checked one by one.
constexpr double kBoundarySeconds = 4e-9;

bool reads(const GatheredMode& mode, expr::LabelNumber label) {
  return std::any_of(mode.table.index.begin(), mode.table.index.end(),
                     [&](const expr::Index& index) { return expr::mentions(index, label); });
}

/// True if the elements along the copy's last label are adjacent in memory.
bool has_rows(const Gathered& gathered) {
  if (gathered.labels.empty() || gathered.index.empty()) {
    return false;
  }
  const expr::LabelNumber last = gathered.labels.back();
  return expr::plain_label(gathered.index.back()) == last &&
         std::none_of(gathered.modes.begin(), gathered.modes.end(),
                      [&](const GatheredMode& mode) { return reads(mode, last); });
}

}  // namespace

double gathering_seconds(const Gathered& gathered, DType dtype, std::span<const LabelRange> ranges,
                         const KernelRates& rates) {
  double elements = 1;
  for (const expr::LabelNumber label : gathered.labels) {
    elements *= static_cast<double>(ranges[static_cast<size_t>(label)].length);
  }
  const auto last = gathered.labels.empty() ? 0 : static_cast<size_t>(gathered.labels.back());
  const double row =
      has_rows(gathered) ? std::max<double>(1, static_cast<double>(ranges[last].length)) : 1;
  double seconds_of_row = kRowSeconds;
  for (const GatheredMode& mode : gathered.modes) {
    seconds_of_row +=
        mode.outside == expr::Boundary(expr::Inside{}) ? kTableSeconds : kBoundarySeconds;
  }
  const double bytes = 2 * elements * static_cast<double>(size_of(dtype));
  return elements / row * seconds_of_row + bytes / rates.cached_bytes_per_second;
}

double bytes_of_tables(const Gathered& gathered, std::span<const LabelRange> ranges) {
  double bytes = 0;
  for (const GatheredMode& mode : gathered.modes) {
    auto of_table = static_cast<double>(size_of(mode.position.dtype()));
    for (const expr::Index& index : mode.table.index) {
      of_table *= static_cast<double>(expr::num_read(index, [&](expr::LabelNumber label) {
        return ranges[static_cast<size_t>(label)].length;
      }));
    }
    bytes += of_table;
  }
  return bytes;
}

}  // namespace tessera::kernels
