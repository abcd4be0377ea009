#include <algorithm>

#include "kernels/cpu/scan/scan_band.h"
#include "kernels/cpu/walk/strided_copy.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

/// Lines that are scanned together: all positions of the innermost labels and some of the next
/// outer one, at one position of the others.
class LineGroups {
 public:
  explicit LineGroups(const ScanBand& band) : band_(band) {
    const int64_t most = band.plan.is_in_parts ? Panel::kLanes / Panel::kParts : Panel::kLanes;
    for (const LabelNumber label : band.plan.order) {
      if (label != band.plan.form.along()) {
        labels_[num_labels_++] = label;
      }
    }
    split_ = num_labels_;
    while (split_ > 0 && inner_ * band.length_of(labels_[split_ - 1]) <= most) {
      inner_ *= band.length_of(labels_[--split_]);
    }
    piece_ = split_ > 0 ? most / inner_ : 1;
  }

  /// Returns the number of current lines.
  int64_t lines() const { return split_ > 0 ? inner_ * split_length() : inner_; }

  /// Adds the steps of the lines to a box with `line_bytes` between its lines.
  void add_lines(const Walk& walk, int64_t size, bool is_read, StridedBox& box) const {
    int64_t packed = size;
    const auto add = [&](LabelNumber label, int64_t length) {
      const int64_t step = walk.steps[static_cast<size_t>(label)] * size;
      is_read ? box.add(length, step, packed) : box.add(length, packed, step);
      packed *= length;
    };
    for (size_t label = num_labels_; label > split_; --label) {
      add(labels_[label - 1], band_.length_of(labels_[label - 1]));
    }
    if (split_ > 0) {
      add(labels_[split_ - 1], split_length());
    }
  }

  /// Returns the elements from the first of a walk to that of the current lines.
  int64_t offset(const Walk& walk) const {
    int64_t offset = 0;
    for (size_t label = 0; label < split_; ++label) {
      offset += at_[label] * walk.steps[static_cast<size_t>(labels_[label])];
    }
    return offset;
  }

  /// Goes to the next lines. Returns false after the last.
  bool advance() {
    for (size_t label = split_; label-- > 0;) {
      at_[label] += label + 1 == split_ ? piece_ : 1;
      if (at_[label] < band_.length_of(labels_[label])) {
        return true;
      }
      at_[label] = 0;
    }
    return false;
  }

 private:
  int64_t split_length() const {
    return std::min(piece_, band_.length_of(labels_[split_ - 1]) - at_[split_ - 1]);
  }

  const ScanBand& band_;
  std::array<LabelNumber, kMaxLabels> labels_{};  // all but the scan's, outermost first
  size_t num_labels_ = 0;
  size_t split_ = 0;   // labels from here on are whole in a group
  int64_t inner_ = 1;  // their positions
  int64_t piece_ = 1;  // of the label before them
  std::array<int64_t, kMaxLabels> at_{};
};

/// Returns the panel of lines that have `left` positions left.
Panel next_panel(int64_t lines, int64_t left, bool is_in_parts) {
  if (!is_in_parts) {
    const int64_t steps = std::min(left, Panel::kSteps);
    return {lines, 1, 1, steps, steps};
  }
  if (left >= Panel::kStretch) {
    const int64_t most = std::max<int64_t>(Panel::kLanes / Panel::kParts / lines, 1);
    return {lines, std::min(left / Panel::kStretch, most), Panel::kParts, Panel::kSteps,
            Panel::kSteps};
  }
  const int64_t parts = (left + Panel::kSteps - 1) / Panel::kSteps;
  return {lines, 1, parts, std::min(left, Panel::kSteps), left - (parts - 1) * Panel::kSteps};
}

int64_t num_positions(const Panel& panel) {
  return (panel.stretches * panel.parts - 1) * panel.steps + panel.last_steps;
}

/// A copy between a panel and its array.
class PanelCopy {
 public:
  PanelCopy(const LineGroups& groups, const Panel& panel, int64_t step_elements, int64_t size)
      : groups_(groups), panel_(panel), step_bytes_(step_elements * size), size_(size) {}

  void read(const Walk& walk, const std::byte* from, std::byte* rows) const {
    for_runs([&](const Run& run) {
      copy_box(from + run.outside, rows + run.inside, size_, box_of(walk, true, run));
    });
  }

  void write(const Walk& walk, const std::byte* rows, std::byte* to) const {
    for_runs([&](const Run& run) {
      copy_box(rows + run.inside, to + run.outside, size_, box_of(walk, false, run));
    });
  }

 private:
  /// Parts of one length: their beginnings, in bytes outside of the panel and in it.
  struct Run {
    int64_t parts;
    int64_t steps;
    int64_t outside;
    int64_t inside;
  };

  /// Calls copy for all whole parts, then for the last one, which may be shorter.
  template <class Copy>
  void for_runs(Copy copy) const {
    const bool is_whole = panel_.last_steps == panel_.steps;
    const int64_t whole = panel_.parts - (is_whole ? 0 : 1);
    if (whole > 0) {
      copy(Run{whole, panel_.steps, 0, 0});
    }
    if (!is_whole) {
      copy(Run{1, panel_.last_steps, whole * panel_.steps * step_bytes_,
               whole * panel_.lines * size_});
    }
  }

  StridedBox box_of(const Walk& walk, bool is_read, const Run& run) const {
    StridedBox box{};
    groups_.add_lines(walk, size_, is_read, box);
    const auto add = [&](int64_t positions, int64_t outside, int64_t inside) {
      is_read ? box.add(positions, outside, inside) : box.add(positions, inside, outside);
    };
    const int64_t line_bytes = panel_.lines * size_;
    add(panel_.stretches, panel_.parts * panel_.steps * step_bytes_, line_bytes);
    add(run.parts, panel_.steps * step_bytes_, panel_.stretches * line_bytes);
    add(run.steps, step_bytes_, Panel::kLanes * size_);
    return box;
  }

  const LineGroups& groups_;
  const Panel& panel_;
  const int64_t step_bytes_;
  const int64_t size_;
};

/// One group of lines, panel after panel.
class GroupScan {
 public:
  GroupScan(const ScanBand& band, PanelScan& scan, const LineGroups& groups)
      : band_(band),
        scan_(scan),
        groups_(groups),
        along_(static_cast<size_t>(band.plan.form.along())),
        length_(band.length_of(band.plan.form.along())) {}

  Status run(const StateBuffers& states) const {
    for (int64_t first = 0; first < length_;) {
      const Panel panel = next_panel(groups_.lines(), length_ - first, band_.plan.is_in_parts);
      read(panel, first);
      if (const Status status = scan_.run(panel, states); status != Status::ok) {
        return status;
      }
      write(panel, first);
      first += num_positions(panel);
    }
    return Status::ok;
  }

 private:
  void read(const Panel& panel, int64_t first) const {
    for (size_t entry = 0; entry < band_.plan.num_states(); ++entry) {
      const ScanMerges::Element& element = scan_.merges().elements[entry];
      if (!element.number && element.panel == entry) {
        const Walk& walk = band_.elements[entry];
        copy_of(panel, walk, entry).read(walk, place(walk, first, entry), scan_.elements(entry));
      }
    }
  }

  void write(const Panel& panel, int64_t first) const {
    for (size_t entry = 0; entry < band_.plan.num_states(); ++entry) {
      if (scan_.merges().is_stored[entry]) {
        const Walk& walk = band_.results[entry];
        copy_of(panel, walk, entry).write(walk, scan_.results(entry), place(walk, first, entry));
      }
    }
  }

  PanelCopy copy_of(const Panel& panel, const Walk& walk, size_t entry) const {
    return {groups_, panel, band_.turn() * walk.steps[along_], scan_.size(entry)};
  }

  /// Returns the first line of the group at scan position `first`.
  std::byte* place(const Walk& walk, int64_t first, size_t entry) const {
    const int64_t position = band_.plan.is_backward() ? length_ - 1 - first : first;
    return walk.first + (groups_.offset(walk) + position * walk.steps[along_]) * scan_.size(entry);
  }

  const ScanBand& band_;
  PanelScan& scan_;
  const LineGroups& groups_;
  const size_t along_;
  const int64_t length_;
};

}  // namespace

Status scan_panels(const ScanBand& band, PanelScan& scan) noexcept {
  LineGroups groups(band);
  StateBuffers states = band.states;
  do {
    if (const Status status = GroupScan(band, scan, groups).run(states); status != Status::ok) {
      return status;
    }
    for (size_t entry = 0; entry < band.plan.num_states(); ++entry) {
      states[entry] += groups.lines() * scan.size(entry);
    }
  } while (groups.advance());
  return Status::ok;
}

}  // namespace tessera::kernels
