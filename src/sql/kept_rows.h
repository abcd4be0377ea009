#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tessera::sql {

/// The rows of a table that are not left out, and the place of each among them: a bit for each row
/// of the table, none where all are there.
class KeptRows {
 public:
  /// All rows.
  explicit KeptRows(int64_t num_rows) : num_kept_(num_rows) {}
  /// The rows of which this is true. It is asked once for each of them, in their order.
  KeptRows(int64_t num_rows, const std::function<bool(int64_t row)>& is_kept);

  int64_t size() const { return num_kept_; }
  bool has(int64_t row) const;
  /// Returns the number of kept rows before this one; nothing if it is left out.
  std::optional<int64_t> place_of(int64_t row) const;
  /// The row with this place. REQUIRES place < size().
  int64_t row_at(int64_t place) const;

 private:
  int64_t num_kept_;
  std::vector<uint64_t> words_;  // 64 rows each; empty if all rows are there
  std::vector<int64_t> before_;  // rows that are there before a word
};

}  // namespace tessera::sql
