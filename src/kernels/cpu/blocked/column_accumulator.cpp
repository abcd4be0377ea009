#include "kernels/cpu/blocked/column_accumulator.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/workspace.h"

namespace tessera::kernels {

namespace {

/// Counts levels. The first level exists even if no leaf is full; one more holds a merge with it.
int64_t num_levels(int64_t num_rows) {
  const auto leaves = static_cast<uint64_t>(num_rows / ColumnAccumulator::kLeaf);
  return 1 + std::max<int64_t>(1, static_cast<int64_t>(std::bit_width(leaves)));
}

/// Returns the bytes of one level of all states.
int64_t bytes_of_level(const BlockReduction& reduction, int64_t width) {
  int64_t bytes = 0;
  for (const DType state : reduction.monoid().state) {
    bytes += aligned_bytes(width * size_of(compute_type(state)));
  }
  return bytes;
}

}  // namespace

int64_t ColumnAccumulator::workspace_bytes(const BlockReduction& reduction, int64_t width,
                                           int64_t num_rows) {
  return num_levels(num_rows) * bytes_of_level(reduction, width);
}

void ColumnAccumulator::bind(const BlockReduction& reduction, const RowReduction& counted,
                             int64_t width, std::byte* memory) noexcept {
  reduction_ = &reduction;
  counted_ = &counted;
  memory_ = memory;
  width_ = width;
  level_bytes_ = bytes_of_level(reduction, width);
}

void ColumnAccumulator::merge_first_by(MergedColumns columns, bool is_exact,
                                       int64_t at_once) noexcept {
  first_columns_ = columns;
  is_exact_ = is_exact;
  at_once_ = at_once;
}

void ColumnAccumulator::begin(int64_t columns) noexcept {
  columns_ = columns;
  num_rows_ = 0;
  has_leaf_ = false;
  rows_in_leaf_ = 0;
  num_leaves_ = 0;
}

int64_t ColumnAccumulator::room() const noexcept {
  return is_exact_ && first_columns_ != nullptr ? kMostMergedRows
                                                : std::min(at_once_, kLeaf - rows_in_leaf_);
}

/// Returns a level. Level -1 is the partner that is merged with the first.
void* ColumnAccumulator::level(size_t state, int64_t number) const noexcept {
  std::byte* at = memory_ + (number + 1) * level_bytes_;
  for (size_t before = 0; before < state; ++before) {
    at += aligned_bytes(width_ * size_of(compute_type(reduction_->monoid().state[before])));
  }
  return at;
}

/// Returns the current leaf. Every other leaf is filled in the first level itself.
void* ColumnAccumulator::leaf(size_t state) const noexcept {
  return level(state, num_leaves_ % 2 == 0 ? 0 : -1);
}

void ColumnAccumulator::merge(size_t state, const void* left, const void* right,
                              void* into) const noexcept {
  const void* const rows[] = {left, right};
  reduction_->columns()[state](rows, 2, columns_, into);
}

void ColumnAccumulator::add(const Rows& rows, int64_t num_rows) noexcept {
  const bool continues = has_leaf_;
  std::array<const void*, kMostMergedRows + 1> merged;
  for (size_t state = 0; state < reduction_->columns().size(); ++state) {
    if (counted_->summand(state)) {
      continue;
    }
    void* const into = leaf(state);
    if (state == 0 && first_columns_ != nullptr) {
      first_columns_(rows[0].data(), num_rows, columns_, continues, into);
      continue;
    }
    merged[0] = into;
    std::copy_n(rows[state].begin(), num_rows, merged.begin() + 1);
    reduction_->columns()[state](merged.data() + (continues ? 0 : 1),
                                 num_rows + (continues ? 1 : 0), columns_, into);
  }
  has_leaf_ = true;
  num_rows_ += num_rows;
  rows_in_leaf_ += num_rows;
  if (is_exact_) {
    rows_in_leaf_ = 0;
  } else if (rows_in_leaf_ == kLeaf) {
    rows_in_leaf_ = 0;
    push_leaf();
  }
}

/// Pushes a full leaf like a binary counter; the last merge writes to its final level.
void ColumnAccumulator::push_leaf() noexcept {
  for (size_t state = 0; state < reduction_->columns().size(); ++state) {
    if (counted_->summand(state)) {
      continue;
    }
    const auto next = [this](int64_t number) { return (num_leaves_ >> number & 1) != 0; };
    for (int64_t number = 0; next(number); ++number) {
      merge(state, level(state, number), leaf(state),
            next(number + 1) ? leaf(state) : level(state, number + 1));
    }
  }
  ++num_leaves_;
  has_leaf_ = false;
}

/// Merges the levels and a last leaf into the results of a state.
const void* ColumnAccumulator::merged(size_t state) const noexcept {
  const void* result = has_leaf_ ? leaf(state) : nullptr;
  for (int64_t number = 0; (num_leaves_ >> number) != 0; ++number) {
    if ((num_leaves_ >> number & 1) != 0) {
      void* const scratch = level(state, -1);
      if (result != nullptr) {
        merge(state, level(state, number), result, scratch);
      }
      result = result == nullptr ? level(state, number) : scratch;
    }
  }
  return result;
}

void ColumnAccumulator::finish(void* const* results, bool continues) noexcept {
  for (size_t state = 0; state < reduction_->columns().size(); ++state) {
    if (const std::optional<int64_t> summand = counted_->summand(state)) {
      // Integers wrap.
      const uint64_t sum = static_cast<uint64_t>(*summand) * static_cast<uint64_t>(num_rows_);
      auto* const counts = static_cast<uint64_t*>(results[state]);
      std::transform(counts, counts + columns_, counts,
                     [=](uint64_t before) { return (continues ? before : 0) + sum; });
      continue;
    }
    const void* const found = merged(state);
    if (continues) {
      merge(state, results[state], found, results[state]);
    } else {
      const int64_t size = size_of(compute_type(reduction_->monoid().state[state]));
      std::memcpy(results[state], found, static_cast<size_t>(columns_ * size));
    }
  }
}

}  // namespace tessera::kernels
