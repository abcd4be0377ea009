#include "sql/top_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <variant>

namespace tessera::sql {

namespace {

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
constexpr size_t kFewestBeforeCut = 16;  // rows that are added between cuts, which sort

/// Returns a number that orders as a double does, both zeros alike and NaN last.
int64_t key_of(double number) {
  if (std::isnan(number)) {
    return kHighest - 1;
  }
  const auto bits = std::bit_cast<int64_t>(number == 0 ? 0.0 : number);
  return bits < 0 ? bits ^ kHighest : bits;
}

}  // namespace

TopRows::TopRows(RankFunction function, int64_t most, int64_t num_partitions, size_t num_keys,
                 int64_t most_bytes)
    : function_(function),
      most_(most),
      num_keys_(num_keys),
      most_numbers_(most_bytes / static_cast<int64_t>(sizeof(int64_t))),
      partitions_(static_cast<size_t>(num_partitions)) {}

/// True if a row with these keys, added now, would stand beyond the bound.
bool TopRows::is_beyond(const Partition& partition, std::span<const int64_t> keys) const {
  if (partition.last_keys.empty()) {
    return false;
  }
  const auto order = std::lexicographical_compare_three_way(
      keys.begin(), keys.end(), partition.last_keys.begin(), partition.last_keys.end());
  return order > 0 || (order == 0 && function_ == RankFunction::row_number);
}

bool TopRows::add(int64_t partition, int64_t row, std::span<const int64_t> keys) {
  Partition& own = partitions_[static_cast<size_t>(partition)];
  if (most_ <= 0 || is_beyond(own, keys)) {
    return true;
  }
  own.entries.insert(own.entries.end(), keys.begin(), keys.end());
  own.entries.push_back(row);
  num_numbers_ += static_cast<int64_t>(num_keys_) + 1;
  const size_t num_kept = num_entries(own);
  if (num_kept >= own.num_before_cut && static_cast<int64_t>(num_kept) >= most_) {
    cut(own);
  }
  return num_numbers_ <= most_numbers_;
}

std::vector<size_t> TopRows::sorted_places(const Partition& partition) const {
  std::vector<size_t> places(num_entries(partition));
  std::iota(places.begin(), places.end(), size_t{0});
  std::sort(places.begin(), places.end(), [&](size_t one, size_t other) {
    const std::span<const int64_t> left = entry(partition, one);
    const std::span<const int64_t> right = entry(partition, other);
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end());
  });
  return places;
}

void TopRows::cut(Partition& partition) {
  const std::vector<size_t> places = sorted_places(partition);
  std::vector<int64_t> left;
  int64_t num_left = 0;
  int64_t num_different = 0;
  int64_t rank = 0;
  for (size_t place = 0; place < places.size(); ++place, ++num_left) {
    const std::span<const int64_t> one = entry(partition, places[place]);
    const bool is_tied = place > 0 && std::ranges::equal(keys_at(partition, places[place - 1]),
                                                         keys_at(partition, places[place]));
    rank = function_ == RankFunction::dense_rank        ? num_different + (is_tied ? 0 : 1)
           : is_tied && function_ == RankFunction::rank ? rank
                                                        : num_left + 1;
    if (rank > most_) {
      break;
    }
    num_different += is_tied ? 0 : 1;
    left.insert(left.end(), one.begin(), one.end());
  }
  num_numbers_ -= static_cast<int64_t>(partition.entries.size() - left.size());
  partition.entries = std::move(left);
  partition.num_before_cut = 2 * static_cast<size_t>(num_left) + kFewestBeforeCut;
  const int64_t rank_reached = function_ == RankFunction::dense_rank ? num_different : num_left;
  if (num_left > 0 && rank_reached >= most_) {
    const std::span<const int64_t> last = keys_at(partition, static_cast<size_t>(num_left) - 1);
    partition.last_keys.assign(last.begin(), last.end());
  }
}

std::vector<int64_t> TopRows::rows() {
  std::vector<int64_t> rows;
  for (Partition& partition : partitions_) {
    cut(partition);
    for (size_t place = 0; place < num_entries(partition); ++place) {
      rows.push_back(entry(partition, place).back());
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::optional<int64_t> sort_key(const database::Value& value, bool is_descending,
                                std::optional<bool> nulls_first) {
  if (std::holds_alternative<std::monostate>(value)) {
    return nulls_first.value_or(!is_descending) ? kLowest : kHighest;
  }
  const auto* const integer = std::get_if<int64_t>(&value);
  const auto* const number = std::get_if<double>(&value);
  constexpr int64_t kMostExact = int64_t{1} << std::numeric_limits<double>::digits;
  if ((integer == nullptr && number == nullptr) ||
      (integer != nullptr && (*integer > kMostExact || *integer < -kMostExact))) {
    return std::nullopt;
  }
  const int64_t key = key_of(integer != nullptr ? static_cast<double>(*integer) : *number);
  return is_descending ? ~key : key;
}

}  // namespace tessera::sql
