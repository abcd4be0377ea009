#pragma once

#include <array>
#include <span>

#include "kernels/cpu/blocked/reduction.h"
#include "kernels/cpu/scan/panel_scan.h"
#include "kernels/cpu/scan/scan_plan.h"
#include "kernels/cpu/walk/iteration_space.h"

namespace tessera::kernels {

/// The steps of a view along the labels of a program, in elements, and its first element.
struct Walk {
  std::array<int64_t, kMaxLabels> steps{};
  std::byte* first = nullptr;
};

/// The part of a call that is scanned at once: its operands and results, by entry of the state.
struct ScanBand {
  const ScanPlan& plan;
  std::span<const LabelRange> ranges;
  std::array<Walk, kMaxStates> elements{};  // of those with an array
  std::array<Walk, kMaxStates> results{};   // of those that are stored
  /// One state for every line, in the order of the labels without the scan's, dense: the states
  /// before the band, then those behind it.
  StateBuffers states{};

  int64_t length_of(expr::LabelNumber label) const {
    return ranges[static_cast<size_t>(label)].length;
  }
  /// Returns the step of the scan's label, in positions.
  int64_t turn() const { return plan.is_backward() ? -1 : 1; }
};

/// Scans a band by the plan's loop. REQUIRES that the plan has one.
void scan_lines(const ScanBand& band) noexcept;

/// Scans a band in panels, which are copied out of the elements and into the results.
Status scan_panels(const ScanBand& band, PanelScan& scan) noexcept;

}  // namespace tessera::kernels
