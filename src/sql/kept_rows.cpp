#include "sql/kept_rows.h"

#include <algorithm>
#include <bit>

namespace tessera::sql {

namespace {

constexpr int64_t kRowsOfWord = 64;

uint64_t bit_of(int64_t row) {
  return uint64_t{1} << static_cast<uint64_t>(row % kRowsOfWord);
}

}  // namespace

KeptRows::KeptRows(int64_t num_rows, const std::function<bool(int64_t row)>& is_kept)
    : num_kept_(0), words_(static_cast<size_t>(num_rows / kRowsOfWord + 1), 0) {
  before_.reserve(words_.size());
  for (int64_t row = 0; row < num_rows; ++row) {
    if (row % kRowsOfWord == 0) {
      before_.push_back(num_kept_);
    }
    if (is_kept(row)) {
      words_[static_cast<size_t>(row / kRowsOfWord)] |= bit_of(row);
      ++num_kept_;
    }
  }
  before_.resize(words_.size(), num_kept_);
}

bool KeptRows::has(int64_t row) const {
  return words_.empty() || (words_[static_cast<size_t>(row / kRowsOfWord)] & bit_of(row)) != 0;
}

std::optional<int64_t> KeptRows::place_of(int64_t row) const {
  if (words_.empty()) {
    return row;
  }
  if (!has(row)) {
    return std::nullopt;
  }
  const auto word = static_cast<size_t>(row / kRowsOfWord);
  return before_[word] + std::popcount(words_[word] & (bit_of(row) - 1));
}

int64_t KeptRows::row_at(int64_t place) const {
  if (words_.empty()) {
    return place;
  }
  // The last word with no more rows before it.
  const auto behind = std::upper_bound(before_.begin(), before_.end(), place);
  auto row = static_cast<int64_t>(behind - before_.begin() - 1) * kRowsOfWord;
  for (int64_t left = place - *(behind - 1); !has(row) || left > 0; ++row) {
    left -= has(row) ? 1 : 0;
  }
  return row;
}

}  // namespace tessera::sql
