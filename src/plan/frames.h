#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/ia/graph.h"

namespace tessera::plan {

/// Some nodes of a placed graph that follow each other, as a graph of their own, whose tasks are
/// made and run at once.
struct Frame {
  ia::Graph placed;
  std::vector<std::string> reads;  // inputs that earlier frames leave
  std::vector<std::string>
      leaves;  // results that are none of the program's: later frames read them
};

/// Cuts a placed graph into frames of at most so many expected tasks each, so that the frames leave
/// as few bytes as can be for each other, in as few frames. A graph that has no more tasks is one
/// frame, and what no cut divides is one however many it has: a statement, or statements between
/// which there are tuples that are no tiles of one tensor.
///
/// What a frame leaves lies for the next where it was made. What a broadcast or a shuffle brought
/// is not left: the frame that reads it moves it again. Source: Recursive SQL §6 (frames, whose
/// results are materialised); the cut along one order, which costs quadratic time at most, is ours.
std::vector<Frame> frames_of(const ia::Graph& graph, int64_t most_tasks);

}  // namespace tessera::plan
