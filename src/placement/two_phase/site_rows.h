#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::placement::two_phase {

/// A set of sites for each of many things, as bits.
class SiteRows {
 public:
  SiteRows() = default;
  explicit SiteRows(int32_t num_sites) : words_((static_cast<size_t>(num_sites) + 63) / 64) {}

  size_t size() const { return words_ == 0 ? 0 : bits_.size() / words_; }
  /// Adds empty rows.
  void resize(size_t num_rows) { bits_.resize(num_rows * words_, 0); }

  bool has(size_t row, int32_t site) const {
    return (bits_[row * words_ + word_of(site)] >> bit_of(site) & 1) != 0;
  }
  void add(size_t row, int32_t site) {
    bits_[row * words_ + word_of(site)] |= uint64_t{1} << bit_of(site);
  }
  void add_all(size_t row, const SiteRows& from, size_t from_row) {
    for (size_t word = 0; word < words_; ++word) {
      bits_[row * words_ + word] |= from.bits_[from_row * words_ + word];
    }
  }
  bool is_empty(size_t row) const {
    const auto begin = bits_.begin() + static_cast<std::ptrdiff_t>(row * words_);
    return std::all_of(begin, begin + static_cast<std::ptrdiff_t>(words_),
                       [](uint64_t word) { return word == 0; });
  }

  /// Calls `see` with every site of a row, ascending.
  template <class See>
  void for_each(size_t row, See see) const {
    for (size_t word = 0; word < words_; ++word) {
      for (uint64_t rest = bits_[row * words_ + word]; rest != 0; rest &= rest - 1) {
        see(static_cast<int32_t>(word * 64 + static_cast<size_t>(std::countr_zero(rest))));
      }
    }
  }

  friend bool operator==(const SiteRows&, const SiteRows&) = default;

 private:
  static size_t word_of(int32_t site) { return static_cast<size_t>(site) / 64; }
  static size_t bit_of(int32_t site) { return static_cast<size_t>(site) % 64; }

  size_t words_ = 0;
  std::vector<uint64_t> bits_;
};

}  // namespace tessera::placement::two_phase
