#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "program/frames/operators.h"
#include "program/frames/pipelining.h"

namespace tessera::program::frames {

/// A frame as it grows from one start. It reads only itself and frames before it.
class Growth {
 public:
  /// `is_assigned` says which operators have a frame already. All outlive it.
  Growth(const OperatorGraph& graph, const Beliefs& beliefs, const std::vector<bool>& is_assigned);

  /// Begins anew, with an operator and all that it needs, to be at most `max` operators. False,
  /// where that is more.
  bool begin(size_t start, size_t max);
  /// Adds the reader that adds least, of equal ones the first, with all that it needs. False where
  /// nothing is left, or nothing fits.
  bool grow();

  const std::vector<size_t>& members() const { return members_; }
  /// Σ of the beliefs of edges that leave it.
  double cost() const { return cost_; }
  /// Returns the number of operators and edges looked at, over all growths.
  int64_t num_looks() const { return num_looks_; }

 private:
  /// An operator and all that it needs, and what the frame's cost would grow by with them.
  struct Addition {
    std::vector<size_t> operators;
    double cost = 0;
  };

  std::optional<Addition> addition_of(size_t wanted);
  void take(const Addition& addition);
  void consider(size_t reader);
  void forget_additions_with(size_t number);
  std::optional<Addition> cheapest();
  /// Begins with the next operator that no frame has.
  std::optional<Addition> next_apart();

  const OperatorGraph& graph_;
  const Beliefs& beliefs_;
  const std::vector<bool>& is_assigned_;
  size_t max_ = 0;
  std::vector<size_t> members_;
  double cost_ = 0;
  std::vector<int64_t> member_of_;  // by operator: the growth that it is a member of
  std::vector<int64_t> added_by_;   // by operator: the addition that it was looked at for
  int64_t growth_ = 0;
  int64_t num_additions_ = 0;
  int64_t num_looks_ = 0;
  // What readers of the frame would add. An addition stays what it is until the frame gets one of
  // its operators, or one that these read. One that does not fit never will: what it loses to the
  // frame, the frame has grown by.
  std::map<size_t, Addition> additions_;            // by reader
  std::set<std::pair<double, size_t>> by_cost_;     // readers
  std::map<size_t, std::vector<size_t>> added_in_;  // by operator: readers whose additions have it
  bool is_left_out_ = false;                        // a reader that does not fit
  size_t apart_ = 0;
};

}  // namespace tessera::program::frames
