#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/frames/operators.h"
#include "program/frames/pipelining.h"

namespace tessera::program::frames {

/// An algorithm that cuts an unrolled plan into frames, which run one after the other.
enum class Cutter : uint8_t {
  gqap,  // from every start, by beliefs: the paper's heuristic of generalised quadratic assignment
  greedy,   // the same from one start
  min_cut,  // from every start, by the number of edges
  none,     // one frame
};

/// "gqap", "greedy", "min-cut", "none"; nothing for another name.
std::optional<Cutter> cutter_of(std::string_view name);
std::string name_of(Cutter cutter);

/// Bounds on the number of operators in a frame. The last frame may have fewer than `min`. If an
/// operator needs more than `max` that no frame has yet, its frame has all of them.
struct FrameSize {
  size_t min = 1;
  size_t max = 1;
};

using Frame = std::vector<size_t>;  // operators, in their order

/// Cuts a graph in frames that can run in their order: no frame reads a later one. Each operator is
/// in one.
///
/// A frame grows from a start by the reader of it that adds least to its cost (new edges that it
/// cuts, less those that it makes inner ones), together with everything that this one needs and no
/// frame has; of all frames of all starts whose size is allowed the cheapest is taken, then the
/// rest is cut (Recursive SQL §6.4). Beyond the paper: where nothing reads a frame, it goes on with
/// the next operator; where no start reaches `min`, the cheapest smaller frame is taken; and starts
/// end where a frame has cost a million of looks at operators and edges, so that wide graphs are
/// cut in time linear in their size.
std::vector<Frame> cut_in_frames(const OperatorGraph& graph, const Beliefs& beliefs, Cutter cutter,
                                 FrameSize size);

/// A tensor that one frame leaves for another.
struct CutEdge {
  size_t producer = 0;
  size_t reader = 0;
  double belief = 0;
};
std::vector<CutEdge> cut_edges(const OperatorGraph& graph, const Beliefs& beliefs,
                               const std::vector<Frame>& frames);

}  // namespace tessera::program::frames
