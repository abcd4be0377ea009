#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "database/sqlite.h"

namespace tessera::sql {

/// A window function that counts the rows before each row in the order of its window.
enum class RankFunction : uint8_t { row_number, rank, dense_rank };

/// The rows whose rank within their partition is at most a bound: those that come first by their
/// keys, and of equal keys by the order in which they were added. Memory grows with the rows that
/// are kept, not with those that are added.
class TopRows {
 public:
  /// `most_bytes` bounds the memory of the rows that are kept.
  TopRows(RankFunction function, int64_t most, int64_t num_partitions, size_t num_keys,
          int64_t most_bytes);

  /// Adds a row by its keys, the lowest of which come first. Rows are added in ascending order.
  /// False if there are too many to keep.
  bool add(int64_t partition, int64_t row, std::span<const int64_t> keys);
  /// The rows that are left of all partitions, in ascending order.
  std::vector<int64_t> rows();

 private:
  /// Rows with their keys before them, one after the other.
  struct Partition {
    std::vector<int64_t> entries;
    std::vector<int64_t> last_keys;  // of the last row within the bound; empty before it is known
    size_t num_before_cut = 0;       // entries, before the next cut
  };

  size_t num_entries(const Partition& partition) const {
    return partition.entries.size() / (num_keys_ + 1);
  }
  std::span<const int64_t> entry(const Partition& partition, size_t place) const {
    return std::span(partition.entries).subspan(place * (num_keys_ + 1), num_keys_ + 1);
  }
  std::span<const int64_t> keys_at(const Partition& partition, size_t place) const {
    return entry(partition, place).first(num_keys_);
  }
  bool is_beyond(const Partition& partition, std::span<const int64_t> keys) const;
  std::vector<size_t> sorted_places(const Partition& partition) const;
  /// Leaves out the rows of a partition that are beyond the bound.
  void cut(Partition& partition);

  RankFunction function_;
  int64_t most_;
  size_t num_keys_;
  int64_t most_numbers_;
  int64_t num_numbers_ = 0;  // in all entries
  std::vector<Partition> partitions_;
};

/// Returns a number that orders as a value does in SQLite, which has NULL first and NaN last, or
/// the other way round if descending; nothing for a text and for an integer that no double is.
std::optional<int64_t> sort_key(const database::Value& value, bool is_descending,
                                std::optional<bool> nulls_first);

}  // namespace tessera::sql
