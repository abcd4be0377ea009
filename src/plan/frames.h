#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/ia/graph.h"

namespace tessera::plan {

/// A run of consecutive nodes of a placed graph, as a graph of its own. Its tasks are made and run
/// together.
struct Frame {
  ia::Graph placed;
  std::vector<std::string> reads;   // inputs that earlier frames leave
  std::vector<std::string> leaves;  // results for later frames, not the program's
};

/// Cuts a placed graph into frames of at most `most_tasks` expected tasks each, so that the frames
/// leave as few bytes as possible for each other, in as few frames as possible. A smaller graph is
/// one frame. A statement is never divided, nor are statements with tuples between them that are no
/// tiles of one tensor, so such a frame may have more tasks.
///
/// A frame leaves a relation where it was computed. The results of a broadcast or a shuffle are not
/// left: a frame that reads them moves the relation again. Source: Recursive SQL §6 (frames, whose
/// results are materialised); the cut along one order, which costs quadratic time at most, is ours.
std::vector<Frame> frames_of(const ia::Graph& graph, int64_t most_tasks);

}  // namespace tessera::plan
