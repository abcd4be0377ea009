#pragma once

#include <array>

#include "kernels/cpu/blocked/machine.h"
#include "kernels/cpu/blocked/state_merger.h"
#include "kernels/cpu/scan/range_loss.h"
#include "kernels/cpu/scan/scan_merges.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

/// A panel: positions of lines that are scanned side by side.
///
/// A panel has `lines` lines of stretches * kStretch positions each, or of one stretch or less. In
/// parts, a stretch is kParts parts of kSteps positions, and each of them is a lane: lane (part *
/// stretches + stretch) * lines + line. Else every line is a lane, of at most kSteps positions.
struct Panel {
  static constexpr int64_t kSteps = 40;  // rows of a panel
  static constexpr int64_t kParts = 16;
  static constexpr int64_t kStretch = kParts * kSteps;
  static constexpr int64_t kLanes = 256;  // of one row
  static_assert(kLanes <= kBlock && kLanes % 64 == 0);

  int64_t lines = 1;
  int64_t stretches = 1;
  int64_t parts = 1;
  int64_t steps = 0;       // of a part
  int64_t last_steps = 0;  // of the last part, which may be shorter in a single stretch

  int64_t lanes() const { return lines * stretches * parts; }
  int64_t lanes_at(int64_t step) const { return step < last_steps ? lanes() : lanes() - lines; }
};

/// A scan of panels by any monoid, its programs run over all lanes at once.
///
/// If a line is cut into parts, its order of merging is this, independent of the rest of the panel:
/// every part one position after the other; parts of a stretch, each with that 1, 2, 4 and 8 before
/// it; then the state before a stretch with all of it. The result at a position merges the state
/// before the stretch with the parts before, then one position after the other. If merging a part
/// loses range (range_loss.h), the stretch of that line is walked, one position after the other.
/// Threads: one.
/// Source: Blelloch, CMU-CS-90-190, 1990 (stretches); Hillis and Steele, CACM 29(12), 1986 (parts).
class PanelScan {
 public:
  static int64_t workspace_bytes(const ScanMerges& merges);

  /// `memory` is of workspace_bytes(), aligned to 64.
  void bind(const ScanMerges& merges, bool is_exclusive, std::byte* memory) noexcept;

  const ScanMerges& merges() const { return *merges_; }
  int64_t size(size_t entry) const { return size_[entry]; }
  /// Rows of kLanes elements: the operand of an entry, and its running values if they are stored.
  std::byte* elements(size_t entry) const { return elements_[merges_->elements[entry].panel]; }
  std::byte* results(size_t entry) const { return results_[entry]; }

  /// Scans a panel from the states `before` of its lines, by entry side by side, and leaves there
  /// the states before the next panel. Stores the running values that are to be stored.
  Status run(const Panel& panel, const StateBuffers& before) noexcept;

 private:
  void lay_out(const ScanMerges& merges, Carver& carver) noexcept;
  Status run_in_parts(const Panel& panel) noexcept;
  Status sum_parts(const Panel& panel) noexcept;
  Status join_parts(const Panel& panel) noexcept;
  Status join_stretches(const Panel& panel) noexcept;
  Status start_parts(const Panel& panel) noexcept;
  Status walk_lost_end(const Panel& panel, int64_t stretch) noexcept;
  Status walk_lost_starts(const Panel& panel) noexcept;
  void mark_lost(const Panel& panel, int64_t stretch, int64_t parts,
                 const MergedStates& states) noexcept;
  bool vanishes(const Panel& panel, int64_t stretch, int64_t parts, const StateBuffers& sums,
                int64_t line) const noexcept;
  bool is_zero(const std::byte* numbers, size_t entry, int64_t at) const noexcept;
  bool has_lost(const Panel& panel) const noexcept;
  template <class Visit>
  Status walk(const Panel& panel, int64_t stretch, Visit visit) noexcept;
  Status sweep(const Panel& panel, BlockMachine& machine, const std::vector<bool>& entries,
               StateBuffers& state) noexcept;
  Status merge(const StateBuffers& left, const StateBuffers& right, const StateBuffers& into,
               int64_t count) noexcept;
  Status merge_row(BlockMachine& machine, const std::vector<bool>& entries,
                   const StateBuffers& state, const StateBuffers& elements, int64_t step,
                   const StateBuffers& into, int64_t count) noexcept;
  void take_results(const BlockMachine& machine, const std::vector<bool>& entries,
                    const StateBuffers& into, int64_t count) const noexcept;
  void copy(const StateBuffers& from, int64_t first, const StateBuffers& to,
            int64_t count) const noexcept;
  void copy_lost(const StateBuffers& from, const StateBuffers& to, int64_t count) const noexcept;
  StateBuffers at(const StateBuffers& buffers, int64_t lane) const noexcept;
  std::byte* row(std::byte* panel, size_t entry, int64_t step) const noexcept {
    return panel + step * Panel::kLanes * size(entry);
  }

  const ScanMerges* merges_ = nullptr;
  std::array<int64_t, kMaxStates> size_{};  // of an entry, in bytes
  bool is_exclusive_ = false;
  bool has_results_ = false;
  BlockMachine states_;       // two states
  BlockMachine elements_in_;  // a state and the elements of a row
  BlockMachine stored_in_;
  StateBuffers elements_{};
  StateBuffers results_{};
  // kLanes states each.
  StateBuffers carry_{};   // of every line, before the panel, then behind it
  StateBuffers sums_{};    // of every part, then of the parts of a stretch up to it
  StateBuffers before_{};  // before every stretch, for each of its parts
  StateBuffers state_{};
  StateBuffers walked_{};  // a walked line's elements of a row
  StateBuffers read_{};    // the elements of a row of it
  std::array<bool, Panel::kLanes> lost_{};
};

}  // namespace tessera::kernels
