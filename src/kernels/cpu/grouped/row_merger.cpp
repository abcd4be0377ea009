#include "kernels/cpu/grouped/row_merger.h"

#include <algorithm>
#include <cstring>

#include "types/native.h"

namespace tessera::kernels {

namespace {

/// Copies elements of results that are `step` elements apart, from or to a dense buffer.
template <class T>
void copy_results(T* dense, T* results, int64_t length, int64_t step, bool to_dense) noexcept {
  for (int64_t e = 0; e < length; ++e) {
    (to_dense ? dense[e] : results[e * step]) = to_dense ? results[e * step] : dense[e];
  }
}

size_t stamp_of(int64_t offset) {
  constexpr uint64_t kFactor = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio
  constexpr int kBits = 12;
  static_assert(RowMemory::kStamps == size_t{1} << kBits);
  return static_cast<size_t>((static_cast<uint64_t>(offset) * kFactor) >> (64 - kBits));
}

}  // namespace

RowMerger::RowMerger(const expr::Monoid& monoid, const std::vector<MergeRows>& merges,
                     RowMemory& memory, std::span<const TileView> outputs)
    : monoid_(monoid), merges_(merges), memory_(memory), outputs_(outputs) {
  std::fill(memory.stamps.begin(), memory.stamps.end(), 0);
}

Status RowMerger::merge(const RowBox& box, const BlockMachine& values) noexcept {
  if (merges_.empty()) {
    return combine(box, values);
  }
  merge_entries(box, values);
  return Status::ok;
}

void RowMerger::merge_entries(const RowBox& box, const BlockMachine& values) noexcept {
  if (box.length != dense_length_) {
    dense_length_ = box.length;
    for (size_t entry = 0; entry < merges_.size(); ++entry) {
      const int64_t bytes = box.length * size_of(monoid_.state[entry]);
      for (int64_t row = 0; row < kBlock; ++row) {
        memory_.dense_places[entry][static_cast<size_t>(row)] = row * bytes;
      }
    }
  }
  for (size_t entry = 0; entry < merges_.size(); ++entry) {
    merges_[entry]({static_cast<const std::byte*>(values.result(entry)),
                    memory_.dense_places[entry].data(), results_at(entry, box.first * step_),
                    memory_.offsets.data() + box.first_row, box.num_rows, box.length, step_});
  }
}

std::byte* RowMerger::results_at(size_t entry, int64_t offset) const {
  return outputs_[entry].data + offset * size_of(monoid_.state[entry]);
}

/// Merges rows by the program of the monoid, as many at once as have results of their own.
Status RowMerger::combine(const RowBox& box, const BlockMachine& values) noexcept {
  for (int64_t row = 0; row < box.num_rows;) {
    ++stamp_;
    int64_t next = row;
    for (; next < box.num_rows; ++next) {
      uint32_t& stamp = memory_.stamps[stamp_of(offset_of(box, next))];
      if (stamp == stamp_) {
        break;
      }
      stamp = stamp_;
    }
    const Status status = combine_distinct(box, values, row, next);
    if (status != Status::ok) {
      return status;
    }
    row = next;
  }
  return Status::ok;
}

int64_t RowMerger::offset_of(const RowBox& box, int64_t row) const {
  return memory_.offsets[static_cast<size_t>(box.first_row + row)] + box.first * step_;
}

Status RowMerger::combine_distinct(const RowBox& box, const BlockMachine& values, int64_t begin,
                                   int64_t end) noexcept {
  const int64_t count = (end - begin) * box.length;
  for (size_t entry = 0; entry < monoid_.state.size(); ++entry) {
    const int64_t bytes = size_of(monoid_.state[entry]);
    const auto* from = static_cast<const std::byte*>(values.result(entry));
    std::memcpy(memory_.right[entry], from + begin * box.length * bytes,
                static_cast<size_t>(count * bytes));
    move_results(box, begin, end, entry, memory_.left[entry], true);
  }
  const Status status = memory_.combine->run(nullptr, count, nullptr, nullptr);
  for (size_t entry = 0; entry < monoid_.state.size() && status == Status::ok; ++entry) {
    auto* made = static_cast<std::byte*>(const_cast<void*>(memory_.combine->result(entry)));
    move_results(box, begin, end, entry, made, false);
  }
  return status;
}

void RowMerger::move_results(const RowBox& box, int64_t begin, int64_t end, size_t entry,
                             std::byte* dense, bool to_dense) noexcept {
  visit_storage_type(monoid_.state[entry], [&]<class T>(std::type_identity<T>) {
    for (int64_t row = begin; row < end; ++row) {
      copy_results(reinterpret_cast<T*>(dense) + (row - begin) * box.length,
                   reinterpret_cast<T*>(results_at(entry, offset_of(box, row))), box.length, step_,
                   to_dense);
    }
  });
}

}  // namespace tessera::kernels
