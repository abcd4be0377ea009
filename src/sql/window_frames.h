#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sql/level.h"
#include "sql/query.h"

namespace tessera::sql {

/// The frames of one aggregate over the windows of a table's rows, as tables of SQLite's: none of
/// them is in memory, and no frame is a list of its rows.
///
/// The frames of a window. Rows that have a tensor are numbered partition by partition, in the
/// window's order. A frame is the numbers from `window_low` to `window_high`.
class WindowFrames {
 public:
  /// A way to merge the rows of a frame, whose numbers lie in blocks of 2^width.
  struct Cover {
    enum class Kind : uint8_t {
      single,  // one place
      head,    // all from the begin of a block or partition, within one block
      tail,    // all to the end of a block or partition, within one block
      pair     // from within one block to within the next one
    };
    Kind kind;
    int64_t width;
  };

  WindowFrames(const RelationPtr& table, const Level::WindowAggregate& aggregate,
               QueryCompiler& compiler);

  /// The number of tensors that are merged, and of rows whose frame is not empty.
  int64_t num_merged() const { return num_merged_; }
  int64_t num_frames() const { return num_frames_; }
  /// True if all frames begin with their partition, or end with it.
  bool begin_with_partitions() const { return begin_; }
  bool end_with_partitions() const { return end_; }

  /// Finds the covers of frames that neither begin nor end with their partition, each once.
  std::vector<Cover> find_covers();

  /// `value`, the row number of each tensor in the order of places, `window_partition`, and for
  /// each of these widths `block1`, `block2`, …: it differs where a block or a partition begins.
  RelationPtr merged(const std::vector<int64_t>& widths);
  /// `window_low` and `window_high` of the frames that are merged in this way. REQUIRES
  /// find_covers().
  RelationPtr frames_of(const Cover& cover);

  /// The table with the column of the result: the places at which frames end, or begin, or the
  /// numbers of the frames, cover by cover.
  RelationPtr with_ends();
  RelationPtr with_begins();
  RelationPtr with_numbers();

 private:
  void put_in_order();
  void find_ends();
  RelationPtr with_result(const std::string& text);

  const RelationPtr& table_;
  const Level::WindowAggregate& aggregate_;
  QueryCompiler& compiler_;
  RelationPtr merged_;  // value, window_partition
  RelationPtr frames_;  // the table, with its frames
  int64_t num_merged_ = 0;
  int64_t num_frames_ = 0;
  int64_t longest_ = 0;  // frame
  bool begin_ = true;
  bool end_ = true;
};

}  // namespace tessera::sql
