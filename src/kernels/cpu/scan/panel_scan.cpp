#include "kernels/cpu/scan/panel_scan.h"

#include <algorithm>
#include <cstring>

#include "types/native.h"

namespace tessera::kernels {

void PanelScan::lay_out(const ScanMerges& merges, Carver& carver) noexcept {
  const auto take = [&](int64_t bytes) {
    return carver.take<std::byte>(static_cast<size_t>(bytes)).data();
  };
  for (size_t entry = 0; entry < merges.state.size(); ++entry) {
    const int64_t row_bytes = Panel::kLanes * size_of(merges.state[entry]);
    const ScanMerges::Element& element = merges.elements[entry];
    if (!element.number && element.panel == entry) {
      elements_[entry] = take(Panel::kSteps * row_bytes);
    }
    if (merges.is_stored[entry]) {
      results_[entry] = take(Panel::kSteps * row_bytes);
    }
    for (StateBuffers* buffers : {&carry_, &sums_, &before_, &state_, &walked_, &read_}) {
      (*buffers)[entry] = take(row_bytes);
    }
  }
}

int64_t PanelScan::workspace_bytes(const ScanMerges& merges) {
  Carver carver(nullptr);
  PanelScan().lay_out(merges, carver);
  return carver.bytes() + merges.states.program().buffer_bytes() +
         merges.elements_in.buffer_bytes() + merges.stored_in.buffer_bytes();
}

void PanelScan::bind(const ScanMerges& merges, bool is_exclusive, std::byte* memory) noexcept {
  static constexpr bool kNoStreams[1] = {};
  merges_ = &merges;
  for (size_t entry = 0; entry < merges.state.size(); ++entry) {
    size_[entry] = size_of(merges.state[entry]);
  }
  is_exclusive_ = is_exclusive;
  has_results_ =
      std::find(merges.is_stored.begin(), merges.is_stored.end(), true) != merges.is_stored.end();
  states_.bind(merges.states.program(), kNoStreams, memory);
  memory += merges.states.program().buffer_bytes();
  elements_in_.bind(merges.elements_in, kNoStreams, memory);
  memory += merges.elements_in.buffer_bytes();
  stored_in_.bind(merges.stored_in, kNoStreams, memory);
  memory += merges.stored_in.buffer_bytes();
  Carver carver(memory);
  lay_out(merges, carver);
}

StateBuffers PanelScan::at(const StateBuffers& buffers, int64_t lane) const noexcept {
  StateBuffers moved = buffers;
  for (size_t entry = 0; entry < merges_->state.size(); ++entry) {
    moved[entry] += lane * size(entry);
  }
  return moved;
}

void PanelScan::copy(const StateBuffers& from, int64_t first, const StateBuffers& to,
                     int64_t count) const noexcept {
  for (size_t entry = 0; entry < merges_->state.size(); ++entry) {
    std::memcpy(to[entry], from[entry] + first * size(entry),
                static_cast<size_t>(count * size(entry)));
  }
}

void PanelScan::take_results(const BlockMachine& machine, const std::vector<bool>& entries,
                             const StateBuffers& into, int64_t count) const noexcept {
  size_t number = 0;
  for (size_t entry = 0; entry < entries.size(); ++entry) {
    if (entries[entry]) {
      const void* const result = machine.result(number++);
      if (result != into[entry]) {
        std::memmove(into[entry], result, static_cast<size_t>(count * size(entry)));
      }
    }
  }
}

/// Computes into = left merged with right. `left` and `right` are aligned to 64 bytes.
Status PanelScan::merge(const StateBuffers& left, const StateBuffers& right,
                        const StateBuffers& into, int64_t count) noexcept {
  const auto num_states = static_cast<int32_t>(merges_->state.size());
  for (int32_t entry = 0; entry < num_states; ++entry) {
    states_.set_parameter(entry, left[static_cast<size_t>(entry)]);
    states_.set_parameter(num_states + entry, right[static_cast<size_t>(entry)]);
  }
  const Status status = states_.run(nullptr, count, nullptr, nullptr);
  take_results(states_, merges_->all, into, count);
  return status;
}

/// Computes into = the state merged with the elements of a row, for some entries.
Status PanelScan::merge_row(BlockMachine& machine, const std::vector<bool>& entries,
                            const StateBuffers& state, const StateBuffers& elements, int64_t step,
                            const StateBuffers& into, int64_t count) noexcept {
  const size_t num_states = merges_->state.size();
  for (size_t entry = 0; entry < num_states; ++entry) {
    machine.set_parameter(static_cast<int32_t>(entry), state[entry]);
    if (elements_[entry] != nullptr) {
      machine.set_parameter(static_cast<int32_t>(num_states + entry),
                            row(elements[entry], entry, step));
    }
  }
  // Functions run over whole vectors, so a partial last vector would overwrite lanes that still
  // count.
  const auto last = static_cast<size_t>(std::find(entries.rbegin(), entries.rend(), true).base() -
                                        entries.begin()) -
                    1;
  const bool is_whole = count * size(last) % 64 == 0;
  std::byte* const target = machine.takes_target() && is_whole ? into[last] : nullptr;
  const Status status = machine.run(nullptr, count, target, nullptr);
  take_results(machine, entries, into, count);
  return status;
}

/// Goes through the rows from `state`, and stores running values. A stored running value is the
/// state of the next row, in place.
Status PanelScan::sweep(const Panel& panel, BlockMachine& machine, const std::vector<bool>& entries,
                        StateBuffers& state) noexcept {
  StateBuffers into = state;
  for (int64_t step = 0; step < panel.steps; ++step) {
    const int64_t count = panel.lanes_at(step);
    for (size_t entry = 0; entry < merges_->state.size(); ++entry) {
      if (!merges_->is_stored[entry]) {
        continue;
      }
      std::byte* const results = row(results_[entry], entry, step);
      if (is_exclusive_) {
        std::memcpy(results, state[entry], static_cast<size_t>(count * size(entry)));
      } else {
        into[entry] = results;
      }
    }
    if (const Status status = merge_row(machine, entries, state, elements_, step, into, count);
        status != Status::ok) {
      return status;
    }
    state = into;
  }
  return Status::ok;
}

Status PanelScan::run(const Panel& panel, const StateBuffers& before) noexcept {
  copy(before, 0, carry_, panel.lines);
  StateBuffers state = carry_;
  const Status status =
      panel.parts > 1 ? run_in_parts(panel) : sweep(panel, elements_in_, merges_->all, state);
  copy(state, 0, before, panel.lines);
  return status;
}

Status PanelScan::run_in_parts(const Panel& panel) noexcept {
  for (const auto pass : {&PanelScan::sum_parts, &PanelScan::join_parts, &PanelScan::join_stretches,
                          &PanelScan::start_parts}) {
    if (const Status status = (this->*pass)(panel); status != Status::ok) {
      return status;
    }
  }
  StateBuffers state = state_;
  return has_results_ ? sweep(panel, stored_in_, merges_->follow, state) : Status::ok;
}

/// Merges every part.
Status PanelScan::sum_parts(const Panel& panel) noexcept {
  for (size_t entry = 0; entry < merges_->state.size(); ++entry) {
    const ScanMerges::Element& element = merges_->elements[entry];
    if (element.number) {
      fill_literal(*element.number, merges_->state[entry], sums_[entry], panel.lanes());
    } else {
      std::memcpy(sums_[entry], elements(entry), static_cast<size_t>(panel.lanes() * size(entry)));
    }
  }
  for (int64_t step = 1; step < panel.steps; ++step) {
    if (const Status status = merge_row(elements_in_, merges_->all, sums_, elements_, step, sums_,
                                        panel.lanes_at(step));
        status != Status::ok) {
      return status;
    }
  }
  return Status::ok;
}

/// Merges every part with those before it in its stretch.
Status PanelScan::join_parts(const Panel& panel) noexcept {
  const int64_t lanes_of_part = panel.stretches * panel.lines;
  for (int64_t distance = 1; distance < panel.parts; distance *= 2) {
    const int64_t first = distance * lanes_of_part;
    const int64_t count = panel.lanes() - first;
    copy(sums_, first, state_, count);
    if (const Status status = merge(sums_, state_, at(sums_, first), count); status != Status::ok) {
      return status;
    }
  }
  return Status::ok;
}

/// Computes the states before every stretch, and behind the last.
Status PanelScan::join_stretches(const Panel& panel) noexcept {
  const int64_t last_part = panel.lanes() - panel.stretches * panel.lines;
  for (int64_t stretch = 0; stretch < panel.stretches; ++stretch) {
    const int64_t first = stretch * panel.lines;
    copy(carry_, 0, at(before_, first), panel.lines);
    copy(sums_, last_part + first, state_, panel.lines);
    copy(carry_, 0, walked_, panel.lines);
    if (const Status status = merge(walked_, state_, carry_, panel.lines); status != Status::ok) {
      return status;
    }
    if (loses_range(merges_->states.monoid(), {walked_, state_, carry_}, panel.lines)) {
      if (const Status status = walk_lost_end(panel, stretch); status != Status::ok) {
        return status;
      }
    }
  }
  return Status::ok;
}

/// Walks the lines of a stretch whose merge with the state before lost range. `walked_` holds the
/// states before the stretch, `state_` its own merge, `carry_` the merge of both.
Status PanelScan::walk_lost_end(const Panel& panel, int64_t stretch) noexcept {
  std::fill_n(lost_.begin(), panel.lines, false);
  mark_lost(panel, stretch, panel.parts, {walked_, state_, carry_});
  if (!has_lost(panel)) {
    return Status::ok;
  }
  const Status status = walk(panel, stretch, [](int64_t) {});
  copy_lost(walked_, carry_, panel.lines);
  return status;
}

/// Marks the lines of a stretch that lose range when its first parts are merged.
void PanelScan::mark_lost(const Panel& panel, int64_t stretch, int64_t parts,
                          const MergedStates& states) noexcept {
  for (int64_t line = 0; line < panel.lines; ++line) {
    const RangeLoss loss = range_loss(merges_->states.monoid(), states, line);
    lost_[static_cast<size_t>(line)] |=
        loss == RangeLoss::some ||
        (loss == RangeLoss::zero && vanishes(panel, stretch, parts, states.part, line));
  }
}

/// True if some entry of the merge of a stretch's first parts is 0, though none of its elements is.
bool PanelScan::vanishes(const Panel& panel, int64_t stretch, int64_t parts,
                         const StateBuffers& sums, int64_t line) const noexcept {
  for (size_t entry = 0; entry < merges_->state.size(); ++entry) {
    if (!is_zero(sums[entry], entry, line)) {
      continue;
    }
    bool has_zero = merges_->elements[entry].number.has_value();
    for (int64_t part = 0; part < parts && !has_zero; ++part) {
      const int64_t lane = (part * panel.stretches + stretch) * panel.lines + line;
      const int64_t steps = part + 1 < panel.parts ? panel.steps : panel.last_steps;
      for (int64_t step = 0; step < steps && !has_zero; ++step) {
        has_zero = is_zero(row(elements(entry), entry, step), entry, lane);
      }
    }
    if (!has_zero) {
      return true;
    }
  }
  return false;
}

/// True if one of an entry's numbers is 0.
bool PanelScan::is_zero(const std::byte* numbers, size_t entry, int64_t at) const noexcept {
  return visit_compute_type(merges_->state[entry], [&](auto tag) {
    using T = typename decltype(tag)::type;
    return reinterpret_cast<const T*>(numbers)[at] == T{};
  });
}

bool PanelScan::has_lost(const Panel& panel) const noexcept {
  return std::find(lost_.begin(), lost_.begin() + panel.lines, true) != lost_.begin() + panel.lines;
}

/// Walks a stretch of all lines from the states before it, in `walked_`, and calls visit(part)
/// before every part.
template <class Visit>
Status PanelScan::walk(const Panel& panel, int64_t stretch, Visit visit) noexcept {
  copy(before_, stretch * panel.lines, walked_, panel.lines);
  for (int64_t part = 0; part < panel.parts; ++part) {
    visit(part);
    const int64_t lane = (part * panel.stretches + stretch) * panel.lines;
    const int64_t steps = part + 1 < panel.parts ? panel.steps : panel.last_steps;
    for (int64_t step = 0; step < steps; ++step) {
      for (size_t entry = 0; entry < merges_->state.size(); ++entry) {
        if (elements_[entry] != nullptr) {
          std::memcpy(read_[entry], row(elements_[entry], entry, step) + lane * size(entry),
                      static_cast<size_t>(panel.lines * size(entry)));
        }
      }
      if (const Status status =
              merge_row(elements_in_, merges_->all, walked_, read_, 0, walked_, panel.lines);
          status != Status::ok) {
        return status;
      }
    }
  }
  return Status::ok;
}

/// Computes the states before every part.
Status PanelScan::start_parts(const Panel& panel) noexcept {
  if (!has_results_) {
    return Status::ok;
  }
  const int64_t lanes_of_part = panel.stretches * panel.lines;
  copy(before_, 0, state_, lanes_of_part);
  for (int64_t part = 1; part + 1 < panel.parts; ++part) {
    copy(before_, 0, at(before_, part * lanes_of_part), lanes_of_part);
  }
  const StateBuffers starts = at(state_, lanes_of_part);
  const int64_t count = panel.lanes() - lanes_of_part;
  const Status status = merge(before_, sums_, starts, count);
  const bool is_lost = status == Status::ok &&
                       loses_range(merges_->states.monoid(), {before_, sums_, starts}, count);
  return is_lost ? walk_lost_starts(panel) : status;
}

/// Walks the lines of a stretch if one of their parts starts from a merge that lost range.
Status PanelScan::walk_lost_starts(const Panel& panel) noexcept {
  const int64_t lanes_of_part = panel.stretches * panel.lines;
  for (int64_t stretch = 0; stretch < panel.stretches; ++stretch) {
    std::fill_n(lost_.begin(), panel.lines, false);
    for (int64_t part = 1; part < panel.parts; ++part) {
      const int64_t before = (part - 1) * lanes_of_part + stretch * panel.lines;
      mark_lost(panel, stretch, part,
                {at(before_, before), at(sums_, before), at(state_, before + lanes_of_part)});
    }
    if (!has_lost(panel)) {
      continue;
    }
    const Status status = walk(panel, stretch, [&](int64_t part) {
      copy_lost(walked_, at(state_, (part * panel.stretches + stretch) * panel.lines), panel.lines);
    });
    if (status != Status::ok) {
      return status;
    }
  }
  return Status::ok;
}

/// Copies the states of the lines that lost range.
void PanelScan::copy_lost(const StateBuffers& from, const StateBuffers& to,
                          int64_t count) const noexcept {
  for (size_t entry = 0; entry < merges_->state.size(); ++entry) {
    for (int64_t line = 0; line < count; ++line) {
      if (lost_[static_cast<size_t>(line)]) {
        std::memcpy(to[entry] + line * size(entry), from[entry] + line * size(entry),
                    static_cast<size_t>(size(entry)));
      }
    }
  }
}

}  // namespace tessera::kernels
