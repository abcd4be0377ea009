#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace tessera::engine {

/// A vertex of a program as the choice of its checkpoints sees it.
struct VertexCost {
  double seconds = 0;       // to make it
  double kept_seconds = 0;  // to write it, check it and read it again
  size_t read_until = 0;    // the last vertex that reads it; 0 for none and for an input
  bool is_joined = false;   // with one before it, so that there is no cut between them
};

/// The vertex behind the last: a result is needed until there.
constexpr size_t kUntilTheEnd = std::numeric_limits<size_t>::max();

/// What checkpoints are to do.
struct CutRules {
  double most_seconds = 0;  // of work between two checkpoints, where that is possible
  double most_price = 1;    // what one may take, in parts of the work behind the one before,
  double dear_seconds = std::numeric_limits<double>::infinity();  // or as long, if that is so long
  bool keeps_results = false;  // a cut behind the last vertex, where the rules allow one
};

/// Before which vertices a run is cut, in order; what is made before a cut and read behind it is
/// kept there. A tensor is written at the first cut behind it only.
///
/// Of all cuts whose price the rules allow, and between which there is a quarter of `most_seconds`,
/// those by which least work lies beyond `most_seconds` between two of them, squared; of these,
/// those that take least to keep; of these, the fewest. So there are none where there is no more
/// work than that. Where results are kept, of all such cuts that end with one behind the last
/// vertex, if there are any. Takes quadratic time.
std::vector<size_t> cuts_of(const std::vector<VertexCost>& vertices, const CutRules& rules);

}  // namespace tessera::engine
